import { basename, join, relative } from "node:path";
import { closestMatch } from "../domain/closest-match.ts";
import { problemsError } from "../domain/data-problem.ts";
import { RalphError } from "../domain/error.ts";
import { checkInside, checkNamed, entriesIn } from "../system/folder.ts";
import { readYamlFile, textAt, type YamlFile } from "./yaml-file.ts";

/** The folders of a sprint and of its workflows. */
export interface SprintPlace {
  /** The sprint's folder. */
  readonly directory: string;
  /** The same as the user wrote it, for messages and for commands in prompts. */
  readonly shown: string;
  /** Files must be inside, and are shown from here: the workspace, or the sprint's own folder if that is outside. */
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
    throw new RalphError("usage", `${place.shown} has neither SPRINT.yaml nor PROGRESS.yaml`, {
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
export function shapeOf({ sprint, progress, workflow }: SprintFiles): "ralph" | "phases" {
  const mode = textAt(sprint.data, "mode") ?? textAt(workflow?.data ?? progress.data, "mode");
  if (mode === "ralph") return "ralph";
  return (workflow?.data ?? progress.data)["phases"] === undefined ? "ralph" : "phases";
}

export type WorkflowPlace = Pick<SprintPlace, "root" | "workflows">;

const ENDING = /\.ya?ml$/;

/** Where a workflow may lie, in the order of search. Its name may have an ending. */
export const workflowPaths = (folders: readonly string[], name: string): string[] =>
  folders.flatMap((folder) =>
    (ENDING.test(name) ? [name] : [`${name}.yaml`, `${name}.yml`]).map((file) => join(folder, basename(file))),
  );

/** The workflow that the first of these files names; none where no file does. */
async function readWorkflow(
  place: WorkflowPlace,
  files: readonly YamlFile[],
): Promise<Pick<SprintFiles, "name" | "workflow">> {
  const naming = files.find(({ data }) => textAt(data, "workflow") !== undefined);
  const name = naming && textAt(naming.data, "workflow");
  if (naming === undefined || name === undefined) return { name: undefined, workflow: undefined };
  const workflow = await findWorkflow(place, name);
  if (workflow !== undefined) return { name, workflow };
  throw await unknownWorkflow(place, naming, name);
}

/** A workflow by its name; undefined where no folder has it. */
export async function findWorkflow(place: WorkflowPlace, name: string): Promise<YamlFile | undefined> {
  for (const path of workflowPaths(place.workflows, name)) {
    await checkNamed(place.root, path);
    const workflow = await readYamlFile(path, shownAs(place, path));
    if (workflow !== undefined) return workflow;
  }
  return undefined;
}

function shownAs({ root }: WorkflowPlace, path: string): string {
  const inside = relative(root, path);
  return inside.startsWith("..") ? path : inside;
}

async function unknownWorkflow(place: WorkflowPlace, file: YamlFile, name: string): Promise<RalphError> {
  const entries = (await Promise.all(place.workflows.map(entriesIn))).flat();
  const known = [...new Set(entries.filter((entry) => ENDING.test(entry)).map((entry) => entry.replace(ENDING, "")))];
  const meant = closestMatch(name, known);
  const [folder = ""] = place.workflows;
  const write = `write ${shownAs(place, join(folder, `${basename(name.replace(ENDING, ""))}.yaml`))}`;
  const choose = known.length === 0 ? `W${write.slice(1)}` : `Choose one of: ${known.join(", ")}; or ${write}`;
  const sentence = `workflow names an unknown workflow, ${JSON.stringify(name)}`;
  const hint = meant === undefined ? choose : `Did you mean ${meant}?`;
  return problemsError("data", [{ sentence, hint, position: file.locate(["workflow"], "value") }], file.file);
}
