import { join } from "node:path";
import type { CiCommand } from "../gate/gate.ts";
import { keptGates } from "../domain/gate.ts";
import { discoverGates } from "../gate/gate.ts";
import { entriesIn, pathExists } from "../system/folder.ts";
import { programsOn } from "../system/process/programs.ts";
import { initRoot } from "./init-root.ts";
import { foreignSettings } from "./found/settings.ts";
import type { InitOptions } from "./init.ts";

/** Agents in order of preference. */
export const AGENTS: readonly string[] = ["claude", "codex", "opencode", "gemini", "pi", "copilot", "qwen"];

export const DEFAULT_SPECS = ".ralph/specs";

/** The choices of `init`, with suggestions. */
export interface InitSurvey {
  /** Those that are installed, in our order of preference. */
  readonly found: readonly string[];
  readonly others: readonly string[];
  readonly gates: readonly { readonly id: string; readonly run: string }[];
  /** Commands of CI that none of the gates covers. */
  readonly uncovered: readonly CiCommand[];
  readonly specs: string;
}

/** Surveys a repository without running anything of it. Undefined if its configuration exists and is kept. */
export async function surveyInit(options: InitOptions): Promise<InitSurvey | undefined> {
  const { env, force } = options;
  const { root } = await initRoot(options);
  if (!force && pathExists(join(root, ".ralph/config.yaml"))) return undefined;
  const found = await findAgents(env);
  const { gates, uncovered } = await discoverGates(root);
  return {
    found,
    others: AGENTS.filter((name) => !found.includes(name)),
    gates: keptGates(gates).map(({ id, run }) => ({ id, run })),
    uncovered,
    specs: await specsIn(root),
  };
}

/** The agents that the search path leads to. */
export const findAgents = async (env: InitOptions["env"]): Promise<string[]> =>
  await programsOn(env["PATH"] ?? "", AGENTS);

const USUAL_SPECS = ["specs", "docs/specs"];

/** The folder that another tool names, a usual folder of specs that is not empty, or the default. */
export async function specsIn(root: string): Promise<string> {
  const [named] = (await foreignSettings(root)).flatMap(({ settings }) => settings?.specs ?? []);
  if (named !== undefined) return named;
  for (const folder of USUAL_SPECS) if (await hasSpecs(root, folder)) return folder;
  return DEFAULT_SPECS;
}

/** Features of spec-kit are changes: each is specified for itself. */
async function hasSpecs(root: string, folder: string): Promise<boolean> {
  const names = await entriesIn(join(root, folder));
  return names.some((name) => !pathExists(join(root, folder, name, "tasks.md")));
}
