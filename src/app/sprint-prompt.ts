import { resolve } from "node:path";
import { loadConfig } from "../config/config.ts";
import { buildSprintPrompt, type SprintMode } from "../domain/prompt/sprint.ts";
import { readSprint } from "../scope/scope.ts";
import { findUp } from "../system/find-up.ts";
import type { Surroundings } from "./workspace.ts";

export interface SprintPromptRequest {
  readonly mode: SprintMode;
  readonly directory: string;
  readonly iteration: number;
}

/** The prompt of a sprint's iteration, from the files of the sprint. A workspace is not needed. */
export async function showSprintPrompt(request: SprintPromptRequest, surroundings: Surroundings): Promise<string> {
  const directory = resolve(surroundings.cwd, request.directory);
  // The sprint's own repository, wherever somebody stands.
  const { cwd, configFile: file } = surroundings;
  const configFile = file === undefined ? undefined : resolve(cwd, file);
  const { workspace, config } = await loadConfig({ ...surroundings, configFile, cwd: directory });
  const root = workspace ?? (await folderWith(config.workflows, directory)) ?? cwd;
  const sprint = await readSprint({
    directory,
    shown: request.directory.replace(/(?<=[^/])\/+$/, ""),
    root: `${directory}/`.startsWith(`${root}/`) ? root : directory,
    workflows: config.workflows.map((folder) => resolve(root, folder)),
  });
  return buildSprintPrompt(request.mode, { ...sprint, iteration: request.iteration });
}

/** The nearest folder above that has one with workflows. */
async function folderWith(workflows: readonly string[], directory: string): Promise<string | undefined> {
  const found = await Promise.all(workflows.map(async (name) => await findUp(directory, name)));
  return found.filter((folder) => folder !== undefined).toSorted((one, other) => other.length - one.length)[0];
}
