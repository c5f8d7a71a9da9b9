import { join } from "node:path";
import type { PinnedGate } from "../domain/gate.ts";
import { entriesIn, pathExists } from "../system/folder.ts";
import { readTextFile } from "../system/text-file.ts";
import { packageGates } from "./package-scripts.ts";
import { pytestGates } from "./pytest.ts";
import type { Found, Look, Source } from "./source.ts";

/** A file that says by being there which command checks a project. */
const whenThere =
  (file: string, gate: Omit<PinnedGate, "script">): Source =>
  async (look) => ({ gates: (await look.has(file)) ? [{ ...gate, script: undefined }] : [] });

/** The sources of gates, in order. A new kind of project is one line here. */
const SOURCES: readonly Source[] = [
  packageGates,
  makeGates,
  whenThere("Cargo.toml", { id: "cargo-test", run: "cargo test" }),
  whenThere("go.mod", { id: "go-test", run: "go test ./..." }),
  pytestGates,
];

/** P-16 `gates: auto`: what the project itself says is its check. */
export async function discoverGates(folder: string): Promise<Required<Found>> {
  const look = lookAt(folder);
  const found = await Promise.all(SOURCES.map((source) => source(look)));
  return { gates: found.flatMap(({ gates }) => gates), warnings: found.flatMap(({ warnings = [] }) => warnings) };
}

const LARGEST = 4 * 1024 * 1024;

const lookAt = (folder: string): Look => ({
  async text(path) {
    try {
      return await readTextFile(join(folder, path), { limitBytes: LARGEST, what: `\`${path}\`` });
    } catch {
      return undefined; // not a text: it defines no gate, and one that it did define is gone
    }
  },
  has: async (path) => pathExists(join(folder, path)),
  names: (path) => entriesIn(join(folder, path)),
});

/** In the order in which GNU make looks for them. */
const MAKEFILES = ["GNUmakefile", "makefile", "Makefile"];
const TARGETS = ["check", "test"];

/** `make check`, or else `make test`. */
async function makeGates(look: Look): Promise<Found> {
  for (const file of MAKEFILES) {
    const text = await look.text(file);
    if (text === undefined) continue;
    for (const target of TARGETS) {
      const script = rulesFor(text, target);
      if (script !== undefined) return { gates: [{ id: `make-${target}`, run: `CI=1 make ${target}`, script }] };
    }
    return { gates: [] };
  }
  return { gates: [] };
}

/** The rules that make a target, each with its recipe; undefined when there is none. */
function rulesFor(text: string, target: string): string | undefined {
  const rules: string[] = [];
  let isInside = false;
  for (const line of text.replaceAll("\\\n", " ").split("\n")) {
    if (line.startsWith("\t")) {
      if (isInside) rules.push(line);
      continue;
    }
    if (line.trim() === "" || line.startsWith("#")) continue;
    const names = /^([^\s:=#][^:=#]*?)\s*::?(?![:=])/.exec(line)?.[1]?.split(/\s+/) ?? [];
    isInside = names.includes(target);
    if (isInside) rules.push(line);
  }
  return rules.length > 0 ? rules.join("\n") : undefined;
}
