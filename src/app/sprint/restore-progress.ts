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
 * Restores the last PROGRESS.yaml if the file is gone: without it, the tasks of its steps would be dropped. Returns false
 * if the file exists or there is no copy.
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

/** Updates the marks: the restored text may be older than the last verdict, and a missing mark would reopen its step. */
export async function setMarks({ store, root, scope, sprint }: ProgressPlace): Promise<void> {
  await followPlan({ store, root, file: sprint.file, scope, editor: "agent" });
}

export const restoredText = ({ file }: Pick<OpenSprint, "file">): string =>
  `${file} was missing; its last version was restored`;

/** The steps of existing tasks, for when the file and its copy are gone. */
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
