import { RalphError } from "../../domain/error.ts";
import type { Gate } from "../../domain/gate.ts";
import { folderLook, howToGet, neededPrograms, setupOf } from "../../gate/gate.ts";
import { programsOn } from "../../system/process/programs.ts";
import type { Surroundings, Workspace } from "../workspace.ts";
import { findGates } from "./run-gates.ts";

/** A program that set-up or a gate starts. */
export interface NeededProgram {
  readonly name: string;
  readonly isThere: boolean;
  /** How to get it; begins with a verb. */
  readonly fix: string;
}

/** The programs that set-up and gates start by themselves, of those that people install on a machine. */
export async function programsFor(
  { root, config }: Pick<Workspace, "root" | "config">,
  gates: readonly Pick<Gate, "run" | "check">[],
  { env }: Pick<Surroundings, "env">,
): Promise<NeededProgram[]> {
  const setup = config.lanes.setup ?? (await setupOf(folderLook(root)))?.command ?? "";
  const names = neededPrograms([setup, ...gates.filter(({ check }) => check === undefined).map(({ run }) => run)]);
  const there = await programsOn(env["PATH"] ?? "", names);
  return names.map((name) => ({ name, isThere: there.includes(name), fix: howToGet(name) }));
}

/** Refuses a run whose gates cannot pass, before an agent costs anything. A set-up of the user's may install programs. */
export async function checkPrograms(workspace: Workspace, host: Pick<Surroundings, "env">): Promise<void> {
  const { root, config } = workspace;
  if (config.lanes.setup !== null) return;
  const { gates } = await findGates({ workspace, folder: root });
  const missing = (await programsFor(workspace, gates, host)).filter(({ isThere }) => !isThere);
  const [first] = missing;
  if (first === undefined) return;
  throw new RalphError("config", missingText(missing), {
    hint: `${first.fix}, or choose gates in .ralph/config.yaml; ralphctl gates shows them`,
  });
}

export const missingText = (missing: readonly NeededProgram[]): string =>
  missing.length === 1
    ? `Set-up or gates need the program ${missing[0]!.name}, which is not on the PATH`
    : `Set-up or gates need programs that are not on the PATH: ${missing.map(({ name }) => name).join(", ")}`;
