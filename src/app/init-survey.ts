import { join } from "node:path";
import { discoverGates } from "../gate/gate.ts";
import { entriesIn, pathExists } from "../system/folder.ts";
import { workingTree } from "../system/git/git.ts";
import { programsOn } from "../system/process/programs.ts";
import type { InitOptions } from "./init.ts";

/** Agents that are looked for, the one to prefer first. */
export const AGENTS: readonly string[] = ["claude", "codex", "opencode", "gemini", "pi", "copilot", "qwen"];

export const DEFAULT_SPECS = ".ralph/specs";

/** What there is to decide before a repository becomes a workspace, and what suggests itself. */
export interface InitSurvey {
  /** Those that are installed, in our order of preference. */
  readonly found: readonly string[];
  readonly others: readonly string[];
  readonly gates: readonly { readonly id: string; readonly run: string }[];
  readonly specs: string;
}

/** Looks around in a repository, and starts nothing of it. Undefined when its configuration is there and stays. */
export async function surveyInit({ cwd, env, force }: InitOptions): Promise<InitSurvey | undefined> {
  const root = await workingTree({ folder: cwd, env });
  if (!force && pathExists(join(root, ".ralph/config.yaml"))) return undefined;
  const found = await findAgents(env);
  return {
    found,
    others: AGENTS.filter((name) => !found.includes(name)),
    gates: (await discoverGates(root)).gates.map(({ id, run }) => ({ id, run })),
    specs: await specsIn(root),
  };
}

/** The agents that the search path leads to. */
export const findAgents = async (env: InitOptions["env"]): Promise<string[]> =>
  await programsOn(env["PATH"] ?? "", AGENTS);

const USUAL_SPECS = ["specs", "docs/specs"];

/** Where people keep them, if something lies there. */
export async function specsIn(root: string): Promise<string> {
  for (const folder of USUAL_SPECS) if ((await entriesIn(join(root, folder))).length > 0) return folder;
  return DEFAULT_SPECS;
}
