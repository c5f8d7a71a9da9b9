import { resolve } from "node:path";
import { loadConfig } from "../config/config.ts";
import { buildSprintPrompt, type SprintMode } from "../domain/prompt/sprint.ts";
import { readSprint } from "../scope/scope.ts";
import type { Surroundings } from "./workspace.ts";

export interface SprintPromptRequest {
  readonly mode: SprintMode;
  readonly directory: string;
  readonly iteration: number;
}

/** The prompt of a sprint's iteration, from the files of the sprint. A workspace is not needed. */
export async function showSprintPrompt(request: SprintPromptRequest, surroundings: Surroundings): Promise<string> {
  const { workspace, config } = await loadConfig(surroundings);
  const directory = resolve(surroundings.cwd, request.directory);
  const root = workspace ?? surroundings.cwd;
  const sprint = await readSprint({
    directory,
    shown: request.directory.replace(/(?<=[^/])\/+$/, ""),
    root: `${directory}/`.startsWith(`${root}/`) ? root : directory,
    workflows: config.workflows.map((folder) => resolve(root, folder)),
  });
  return buildSprintPrompt(request.mode, { ...sprint, iteration: request.iteration });
}
