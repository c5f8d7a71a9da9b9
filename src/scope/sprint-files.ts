import { join } from "node:path";
import { RalphError } from "../domain/error.ts";
import { checkInside } from "../system/folder.ts";
import { readWorkflow } from "./workflow.ts";
import { readYamlFile, textAt, type YamlFile } from "./yaml-file.ts";

/** Where a sprint and the workflows that it may name are. */
export interface SprintPlace {
  /** The sprint's folder. */
  readonly directory: string;
  /** The same as the user wrote it, for messages and for commands in prompts. */
  readonly shown: string;
  /** What the sprint's files may not lead out of: the workspace, or the sprint's own folder where that lies outside. */
  readonly root: string;
  /** Folders with workflow files, in the order in which they are searched. */
  readonly workflows: readonly string[];
}

/** The files that define a sprint. One that is not there says nothing. */
export interface SprintFiles {
  readonly sprint: YamlFile;
  readonly progress: YamlFile;
  readonly workflow: YamlFile | undefined;
  /** The workflow's name in SPRINT.yaml or PROGRESS.yaml. */
  readonly name: string | undefined;
  /** Whether there is a PROGRESS.yaml. */
  readonly hasProgress: boolean;
}

export async function readSprintFiles(place: SprintPlace): Promise<SprintFiles> {
  const sprint = await fileOf(place, "SPRINT.yaml");
  const progress = await fileOf(place, "PROGRESS.yaml").catch(aboutProgress);
  if (sprint === undefined && progress === undefined) {
    throw new RalphError("usage", `There is neither SPRINT.yaml nor PROGRESS.yaml in ${place.shown}`, {
      hint: `Write ${place.shown}/SPRINT.yaml, with the lines \`workflow: ralph\` and \`goal: …\``,
      about: { kind: "progress file" },
    });
  }
  const files = {
    sprint: sprint ?? nothingIn(place, "SPRINT.yaml"),
    progress: progress ?? nothingIn(place, "PROGRESS.yaml"),
  };
  const named = await readWorkflow(place, [files.sprint, files.progress]);
  return { ...files, ...named, hasProgress: progress !== undefined };
}

function aboutProgress(error: unknown): never {
  if (!(error instanceof RalphError)) throw error;
  const { kind, message, hint } = error;
  throw new RalphError(kind, message, { hint, cause: error, about: { kind: "progress file" } });
}

async function fileOf({ directory, shown, root }: SprintPlace, name: string): Promise<YamlFile | undefined> {
  const path = join(directory, name);
  await checkInside(root, path);
  return await readYamlFile(path, `${shown}/${name}`);
}

const nothingIn = ({ shown }: SprintPlace, name: string): YamlFile => ({
  file: `${shown}/${name}`,
  data: {},
  locate: () => ({ line: 1, column: 1 }),
});

/** `ralph`: a goal and the steps that an agent plans; `phases`: what the workflow lists, in sequence. */
export function shapeOf({
  sprint,
  progress,
  workflow,
}: Pick<SprintFiles, "sprint" | "progress" | "workflow">): "ralph" | "phases" {
  const mode = textAt(sprint.data, "mode") ?? textAt(workflow?.data ?? progress.data, "mode");
  if (mode === "ralph") return "ralph";
  return (workflow?.data ?? progress.data)["phases"] === undefined ? "ralph" : "phases";
}
