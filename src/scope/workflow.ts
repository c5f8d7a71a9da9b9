import { basename, join, relative } from "node:path";
import { RalphError } from "../domain/error.ts";
import { readYamlFile, type YamlFile } from "./yaml-file.ts";

export interface WorkflowPlace {
  /** The sprint's folder as the user wrote it. */
  readonly shown: string;
  /** What paths in messages are relative to. */
  readonly root: string;
  /** Folders with workflow files, in the order in which they are searched. */
  readonly workflows: readonly string[];
}

/** The workflow that a sprint names; undefined when it names none. */
export async function readWorkflow(place: WorkflowPlace, name: string | undefined): Promise<YamlFile | undefined> {
  if (name === undefined) return undefined;
  for (const folder of place.workflows) {
    for (const file of /\.ya?ml$/.test(name) ? [name] : [`${name}.yaml`, `${name}.yml`]) {
      const path = join(folder, basename(file));
      const inside = relative(place.root, path);
      const shown = inside.startsWith("..") ? path : inside;
      const found = await readYamlFile({ path, shown, root: folder });
      if (found) return found;
    }
  }
  throw new RalphError("data", `The workflow ${JSON.stringify(name)} of ${place.shown} was not found`, {
    hint: "Put it into .claude/workflows/, or remove the key `workflow`",
  });
}
