import { dirname, join, relative } from "node:path";
import { checkInside, kindOf, writeAtomic } from "../../system/folder.ts";
import { readTextFile } from "../../system/text-file.ts";
import { findStore } from "../task-store.ts";

/** The copy of the last readable PROGRESS.yaml: beside the tasks, and never committed. */
export interface LastGood {
  /** The folder that holds `.ralph/`. */
  readonly root: string;
  readonly path: string;
}

export async function lastGoodPlace(root: string, folder: string): Promise<LastGood> {
  const home = dirname((await findStore(root)).file);
  return { root: dirname(home), path: join(home, "backup", "sprints", folder, "PROGRESS.yaml") };
}

export async function keepLastGood({ root, path }: LastGood, text: string): Promise<void> {
  await checkInside(root, path);
  await writeAtomic(path, text);
}

export const readLastGood = async ({ path }: LastGood): Promise<string | undefined> =>
  await readTextFile(path, { limitBytes: LIMIT_BYTES, what: "The copy of PROGRESS.yaml", keepsByteOrderMark: true });

const LIMIT_BYTES = 10 * 1024 * 1024;

/** Completes a sentence about an unreadable PROGRESS.yaml; undefined without a copy. */
export async function describeLastGood({ root, path }: LastGood): Promise<string | undefined> {
  return (await kindOf(path)) === "file" ? `the last readable version is ${relative(root, path)}` : undefined;
}
