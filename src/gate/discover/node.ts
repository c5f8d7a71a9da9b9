import type { PinnedGate } from "../../domain/gate.ts";
import { isMapping, type Mapping, parseMapping } from "../../domain/mapping.ts";
import { type Found, type Look, NOTHING, type Source } from "../source.ts";
import { memberGate, type PackageSet, readMembers } from "./node-members.ts";
import { type NodeManager, nodeManager } from "./node-manager.ts";
import type { Written } from "./reach.ts";
import { scriptGates } from "./scripts.ts";

const FILE = "package.json";

/** The scripts of `package.json` that check something, run by the project's own package manager. */
export const node: Source = async ({ look, reach, members }): Promise<Found> => {
  const text = await look.text(FILE);
  if (text === undefined) return NOTHING;
  const manifest = parseMapping(text);
  if (manifest === undefined) {
    return { gates: [], warnings: ["`package.json` is not a JSON object, so its scripts are not gates"] };
  }
  const manager = await nodeManager(look, manifest);
  const scripts = scriptsIn(manifest);
  const exec = (command: string): string => execBy(manager, command);
  const { gates, leftOut } = scriptGates({
    file: FILE,
    scripts,
    run: (name) => `CI=1 ${manager.name} run ${name}`,
    exec,
    idOf,
    definition: (name) => definition(scripts, name),
    reach,
    elsewhere: (names) => members && memberGate(members, { names, manager, exec, reach }),
  });
  // turbo and nx build by themselves what a task needs.
  const isBuiltFirst = members === undefined || members.tasks.size > 0 || members.hasNx;
  const needsBuild =
    !isBuiltFirst || reach("npm run test").some(({ words }) => words.some((word) => OUTPUT.test(word)));
  return { gates: needsBuild ? buildFirst(gates) : gates, leftOut };
};

const EXEC: Readonly<Record<NodeManager["name"], string>> = {
  npm: "npx --no-install",
  pnpm: "pnpm exec",
  yarn: "yarn run",
  bun: "bun x --no-install",
};

/** Starts a program of the project's dependencies. */
export const execBy = ({ name }: NodeManager, command: string): string => `CI=1 ${EXEC[name]} ${command}`;

/** A file that a build makes: tests that name one need the build first. */
const OUTPUT = /(?:^|[/=])(?:dist|lib|build|out)\/\S*\.(?:[cm]?js|test|spec)\b|^(?:dist|build|out)(?:\/|$)/;

/** An id is the name of a file, too. */
const idOf = (name: string): string => name.replaceAll(/[^A-Za-z0-9._-]+/g, "-");

/** `build` before the tests. */
function buildFirst(gates: readonly PinnedGate[]): readonly PinnedGate[] {
  const at = gates.findIndex(({ id }) => /^tests?\b/.test(id));
  const build = gates.filter(({ id }) => id === "build");
  const others = gates.filter(({ id }) => id !== "build");
  return at < 0 ? gates : [...others.slice(0, at), ...build, ...others.slice(at)];
}

export function scriptsIn({ scripts }: Mapping): Map<string, string> {
  const entries = isMapping(scripts) ? Object.entries(scripts) : [];
  return new Map(entries.flatMap(([name, text]) => (typeof text === "string" ? [[name, text] as const] : [])));
}

/** For following commands: the scripts of the top package and of those below. */
export async function writtenScripts(look: Look): Promise<{
  readonly scripts: Pick<Written, "scripts" | "hasHooks" | "members">;
  readonly members: PackageSet | undefined;
}> {
  const manifest = parseMapping((await look.text(FILE)) ?? "") ?? {};
  const scripts = scriptsIn(manifest);
  // Yarn 2 and later run no `pretest`.
  const hasHooks = scripts.size > 0 && !(await nodeManager(look, manifest)).isBerry;
  const members = await readMembers(look, manifest);
  const texts =
    members && new Map([...members.scripts].map(([name, all]) => [name, new Set(all.map(({ text }) => text))]));
  return { scripts: { scripts, hasHooks, members: texts }, members };
}

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
