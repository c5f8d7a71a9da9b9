import { type Mapping, parseMapping } from "../domain/mapping.ts";
import type { PinnedGate } from "../domain/gate.ts";
import type { Found, Look } from "./source.ts";

const SCRIPTS = ["typecheck", "lint", "test", "build"];

/** Lock files by the program that writes them. Where several lie side by side, the first. */
const LOCK_FILES: readonly (readonly [file: string, manager: string])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
];

/** The scripts of `package.json` that check something, run by the project's own package manager. */
export async function packageGates(look: Look): Promise<Found> {
  const text = await look.text("package.json");
  if (text === undefined) return { gates: [] };
  const manifest = parseMapping(text);
  if (manifest === undefined) {
    return { gates: [], warnings: ["`package.json` is not a JSON object, so its scripts are not gates"] };
  }
  const scripts = scriptsOf(manifest);
  const manager = await managerOf(look, manifest);
  const gates = SCRIPTS.filter((name) => isCheck(scripts.get(name))).map((name): PinnedGate => ({
    id: name,
    run: `CI=1 ${manager} run ${name}`,
    script: definition(scripts, name),
  }));
  return { gates };
}

async function managerOf(look: Look, manifest: Mapping): Promise<string> {
  const there = await Promise.all(LOCK_FILES.map(([file]) => look.has(file)));
  const locked = LOCK_FILES.filter((_, index) => there[index]).map(([, manager]) => manager);
  const wish = manifest["packageManager"];
  const declared = /^(npm|pnpm|yarn|bun)@/.exec(typeof wish === "string" ? wish : "")?.[1];
  if (declared !== undefined && (locked.length === 0 || locked.includes(declared))) return declared;
  return locked[0] ?? "npm";
}

/** The test script of `npm init` is a placeholder. */
const isCheck = (script: string | undefined): boolean =>
  script !== undefined &&
  script.trim() !== "" &&
  !/^echo\s+\\?"Error: no test specified\\?"\s*&&\s*exit 1$/.test(script.trim());

/**
 * Everything of `package.json` that decides what a script does: itself, what runs before and after it, and the other
 * scripts that it calls.
 */
function definition(scripts: ReadonlyMap<string, string>, name: string): string {
  const parts = new Map<string, string>();
  const add = (script: string): void => {
    const text = scripts.get(script);
    if (text === undefined || parts.has(script)) return;
    parts.set(script, text);
    for (const around of [`pre${script}`, `post${script}`]) add(around);
    for (const [, called = ""] of text.matchAll(CALL)) add(called);
  };
  add(name);
  return [...parts].map(([script, text]) => `${script}: ${text}`).join("\n");
}

const CALL = /\b(?:npm|pnpm|yarn|bun|run-s|run-p|npm-run-all)\s+(?:run(?:-script)?\s+)?(?:-\S+\s+)*([\w:.-]+)/g;

function scriptsOf({ scripts }: Mapping): Map<string, string> {
  const entries = typeof scripts === "object" && scripts !== null ? Object.entries(scripts) : [];
  return new Map(entries.flatMap(([name, text]) => (typeof text === "string" ? [[name, text] as const] : [])));
}
