import { basename, dirname, join, relative } from "node:path";
import { problemsError } from "../domain/data-problem.ts";
import type { RalphError } from "../domain/error.ts";
import { closestMatch } from "../domain/closest-match.ts";
import { checkInside, entriesIn } from "../system/folder.ts";
import { readYamlFile, textAt, type YamlFile } from "./yaml-file.ts";

export interface WorkflowPlace {
  /** What paths in messages are relative to. */
  readonly root: string;
  /** Folders with workflow files, in the order in which they are searched. */
  readonly workflows: readonly string[];
}

/** A workflow, and what it is called where it was named. */
export interface NamedWorkflow {
  readonly name: string | undefined;
  readonly workflow: YamlFile | undefined;
}

const ENDING = /\.ya?ml$/;

/** Where a workflow may lie, in the order of search. Its name may have an ending. */
export const workflowPaths = (folders: readonly string[], name: string): string[] =>
  folders.flatMap((folder) =>
    (ENDING.test(name) ? [name] : [`${name}.yaml`, `${name}.yml`]).map((file) => join(folder, basename(file))),
  );

/** The workflow that the first of these files names; none where no file does. */
export async function readWorkflow(place: WorkflowPlace, files: readonly YamlFile[]): Promise<NamedWorkflow> {
  const naming = files.find(({ data }) => textAt(data, "workflow") !== undefined);
  const name = naming && textAt(naming.data, "workflow");
  if (naming === undefined || name === undefined) return { name: undefined, workflow: undefined };
  for (const path of workflowPaths(place.workflows, name)) {
    await checkInside(dirname(path), path);
    const workflow = await readYamlFile(path, shownAs(place, path));
    if (workflow !== undefined) return { name, workflow };
  }
  throw await unknownWorkflow(place, naming, name);
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
  const sentence = `workflow must name a workflow, and there is no ${JSON.stringify(name)}`;
  const hint = meant === undefined ? choose : `Did you mean ${meant}?`;
  return problemsError("data", [{ sentence, hint, position: file.locate(["workflow"], "value") }], file.file);
}
