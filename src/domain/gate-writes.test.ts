import { expect, test } from "vitest";
import type { FileChange } from "./change.ts";
import { countedWrites, newWrites, writeNames } from "./gate-writes.ts";

const wrote = (kind: FileChange["kind"], ...paths: readonly string[]): FileChange[] =>
  paths.map((path) => ({ path, kind }) as FileChange);
const pathsOf = (changes: readonly FileChange[]): string[] => changes.map(({ path }) => path);

test("T-01 writes on the base excuse the same files, and new ones of one kind in one folder; never other old files", () => {
  const onBase = writeNames([...wrote("modified", "src/a.ts"), ...wrote("added", "logs/1.xml")]);
  const now = [...wrote("modified", "src/a.ts", "src/b.ts", "logs/old.xml"), ...wrote("added", "logs/2.xml", "2.xml")];
  expect(pathsOf(newWrites(now, onBase))).toEqual(["src/b.ts", "logs/old.xml", "2.xml"]);
});

test("T-01 a new file that programs make counts by no gate; a changed one does", () => {
  const changes = [...wrote("added", "__pycache__/a.pyc", "a.txt"), ...wrote("modified", "__pycache__/b.pyc")];
  expect(pathsOf(countedWrites(changes))).toEqual(["a.txt", "__pycache__/b.pyc"]);
});
