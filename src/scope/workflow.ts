import { basename, join, relative } from "node:path";
import type { RalphError } from "../domain/error.ts";
import { closestMatch } from "../domain/closest-match.ts";
import { entriesIn } from "../system/folder.ts";
import { faultAt, faultsError } from "./sprint-faults.ts";
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

/** The workflow that the first of these files names; none where no file does. */
export async function readWorkflow(place: WorkflowPlace, files: readonly YamlFile[]): Promise<NamedWorkflow> {
  const naming = files.find(({ data }) => textAt(data, "workflow") !== undefined);
  const name = naming && textAt(naming.data, "workflow");
  if (naming === undefined || name === undefined) return { name: undefined, workflow: undefined };
  for (const folder of place.workflows) {
    for (const file of ENDING.test(name) ? [name] : [`${name}.yaml`, `${name}.yml`]) {
      const path = join(folder, basename(file));
      const found = await readYamlFile({ path, shown: shownAs(place, path), root: folder });
      if (found) return { name, workflow: found };
    }
  }
  throw await unknownWorkflow(place, naming, name);
}

function shownAs({ root }: WorkflowPlace, path: string): string {
  const inside = relative(root, path);
  return inside.startsWith("..") ? path : inside;
}

async function unknownWorkflow(place: WorkflowPlace, file: YamlFile, name: string): Promise<RalphError> {
  const entries = (await Promise.all(place.workflows.map(async (folder) => await entriesIn(folder)))).flat();
  const known = [...new Set(entries.filter((entry) => ENDING.test(entry)).map((entry) => entry.replace(ENDING, "")))];
  const meant = closestMatch(name, known);
  const [folder = ""] = place.workflows;
  const write = `write ${shownAs(place, join(folder, `${basename(name.replace(ENDING, ""))}.yaml`))}`;
  const rule = `must name a workflow, and there is no ${JSON.stringify(name)}`;
  const choose = known.length === 0 ? `W${write.slice(1)}` : `Choose one of: ${known.join(", ")}; or ${write}`;
  return faultsError([
    faultAt(file, { path: ["workflow"] }, { rule, hint: meant === undefined ? choose : `Did you mean ${meant}?` }),
  ]);
}
