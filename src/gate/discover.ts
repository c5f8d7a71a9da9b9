import type { PinnedGate } from "../domain/gate.ts";
import { folderLook } from "./look.ts";
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
export const discoverGates = async (folder: string): Promise<Required<Found>> => await discoverIn(folderLook(folder));

/** The same in any set of files. */
export async function discoverIn(look: Look): Promise<Required<Found>> {
  const found = await Promise.all(SOURCES.map((source) => source(look)));
  return { gates: found.flatMap(({ gates }) => gates), warnings: found.flatMap(({ warnings = [] }) => warnings) };
}

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
