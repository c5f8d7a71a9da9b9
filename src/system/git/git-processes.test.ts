import { expect, test } from "vitest";
import { describeGitProcess, readFolders } from "./git-processes.ts";

test("P-34 where there is no /proc, the folders of processes are read from lsof", () => {
  const list = "p4711\nfcwd\nn/home/me/my tree\np4712\nfcwd\nn/\n";
  expect([...readFolders(list)]).toEqual([
    [4711, "/home/me/my tree"],
    [4712, "/"],
  ]);
  expect([...readFolders("")]).toEqual([]);
});

test("P-34 a command is named in one line, however long it is", () => {
  const command = `git commit --message ${"word\n".repeat(40)}`;
  expect(describeGitProcess({ pid: 7, command, cwd: "/" })).toBe(
    `git commit --message ${"word ".repeat(11)}word… (process 7)`,
  );
});
