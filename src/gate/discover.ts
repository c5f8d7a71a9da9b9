import { join } from "node:path";
import type { PinnedGate } from "../domain/gate.ts";
import { entriesIn, pathExists } from "../system/folder.ts";
import { readTextFile } from "../system/text-file.ts";
import { makeGates } from "./make.ts";
import { packageGates } from "./package-scripts.ts";
import { pytestGates } from "./pytest.ts";
import type { Look, Source } from "./source.ts";

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

export interface Discovery {
  readonly gates: readonly PinnedGate[];
  readonly warnings: readonly string[];
}

/** P-16 `gates: auto`: what the project itself says is its check. */
export async function discoverGates(folder: string): Promise<Discovery> {
  const look = lookAt(folder);
  const found = await Promise.all(SOURCES.map((source) => source(look)));
  return {
    gates: found.flatMap(({ gates }) => gates),
    warnings: found.flatMap(({ warnings = [] }) => warnings),
  };
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
