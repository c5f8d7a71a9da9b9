import { join } from "node:path";
import type { NewStep } from "../../plan/plan.ts";
import type { Store } from "../../store/store.ts";
import { checkInside, pathExists, writeAtomic } from "../../system/folder.ts";
import { followPlan } from "../follow-plan.ts";
import { readLastGood } from "./last-good.ts";
import type { OpenSprint } from "./open-sprint.ts";
import { promptOf } from "./write-steps.ts";

export interface ProgressPlace {
  readonly store: Store;
  /** The workspace. */
  readonly root: string;
  /** The scope's key. */
  readonly scope: string;
  readonly sprint: Pick<OpenSprint, "file" | "lastGood">;
}

/**
 * Writes the last PROGRESS.yaml again where the file is gone: an empty one in its place would say that no step is to be
 * done any more, and its tasks would be dropped. False where it is there, or never was.
 */
export async function restoreProgress(place: ProgressPlace): Promise<boolean> {
  const { root, sprint } = place;
  const path = join(root, sprint.file);
  await checkInside(root, path);
  if (pathExists(path)) return false;
  const text = await readLastGood(sprint.lastGood);
  if (text === undefined) return false;
  await writeAtomic(path, text);
  await setMarks(place);
  return true;
}

/** The text may be older than the last proof, and a step without its mark would be one that a person opened again. */
export async function setMarks({ store, root, scope, sprint }: ProgressPlace): Promise<void> {
  await followPlan({ store, root, file: sprint.file, scope, editor: "agent" });
}

/** A sentence about it. */
export const restoredText = ({ file }: Pick<OpenSprint, "file">): string =>
  `${file} was missing; its last version was restored`;

/** Steps that only the tasks know of, when the file and its copy are gone. */
export async function knownSteps({ store, sprint }: ProgressPlace): Promise<NewStep[]> {
  const steps: NewStep[] = [];
  for await (const task of store.each({ sourceFile: sprint.file })) {
    const id = task.source?.key.startsWith(BY_ID) === true ? task.source.key.slice(BY_ID.length) : undefined;
    if (id === undefined || task.status === "dropped") continue;
    const addedAt = new Date(task.createdAt).toISOString().replace(/\.\d+Z$/, "Z");
    steps.push({ id, prompt: promptOf(task), addedAt, addedInIteration: undefined });
  }
  return steps;
}

const BY_ID = "id:";
