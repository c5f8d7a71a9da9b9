import { buildOutputIn } from "./build-output.ts";
import type { FileChange } from "./change.ts";

/** The changes of a gate that count: a new file that programs make, by its usual name, is no part of any work. */
export const countedWrites = (changes: readonly FileChange[]): FileChange[] =>
  changes.filter(({ path, kind }) => kind !== "added" || buildOutputIn(path) === undefined);

/** The names of writes, by which those on two trees are compared. */
export const writeNames = (changes: readonly FileChange[]): string[] => [
  ...new Set(changes.flatMap((change) => [change.path, kindOf(change)])),
];

/** Writes that the gates do not make on the base: the work is the reason for them. */
export const newWrites = (changes: readonly FileChange[], onBase: readonly string[]): FileChange[] =>
  changes.filter((change) => !onBase.includes(change.path) && !onBase.includes(kindOf(change)));

/** The name of a new file may hold a time or a number, so those of one kind in one folder are alike. */
function kindOf({ path, kind }: FileChange): string {
  if (kind !== "added") return path;
  const name = path.lastIndexOf("/") + 1;
  const dot = path.lastIndexOf(".");
  return `${path.slice(0, name)}*${dot > name ? path.slice(dot) : ""}`;
}
