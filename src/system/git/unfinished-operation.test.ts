import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, write } from "../../../test/temporary-folder.ts";
import { replaceText } from "../folder.ts";
import { checkNoUnfinishedOperation, rebaseBegun } from "./unfinished-operation.ts";

test("T-41 a plan file is not written while a rebase of the person's begins", async () => {
  const gitFolder = temporaryFolder({ HEAD: "ref: refs/heads/main\n" });
  const isFree = await rebaseBegun({ gitFolder });
  expect(isFree()).toBe(true);
  mkdirSync(join(gitFolder, "rebase-merge"));
  writeFileSync(join(gitFolder, "rebase-merge/autostash"), "");
  expect(isFree()).toBe(false);
  let hasBegun = false;
  const waiting = rebaseBegun({ gitFolder }).then(() => hasBegun);
  await new Promise((resolve) => setTimeout(resolve, 30));
  hasBegun = true;
  writeFileSync(join(gitFolder, "HEAD"), `${"a".repeat(40)}\n`);
  expect([await waiting, isFree()]).toEqual([true, true]);
});

test("T-41 a rebase that begins while a plan file is being written stops the write at the last moment", async () => {
  const folder = temporaryFolder({ plan: "- [ ] a", HEAD: "ref: refs/heads/main\n" });
  const path = join(folder, "plan");
  const mayWrite = await rebaseBegun({ gitFolder: folder });
  const text = { from: "- [ ] a", to: "- [x] a", mayWrite };
  write(folder, { "rebase-merge/autostash": "" });
  expect([await replaceText(path, text), readFileSync(path, "utf8")]).toEqual(["changed", "- [ ] a"]);
  rmSync(join(folder, "rebase-merge"), { recursive: true });
  expect([await replaceText(path, text), readFileSync(path, "utf8")]).toEqual(["written", "- [x] a"]);
});

test("T-41 no work lands on a commit that a bisect of the person's tries; one that has not begun is no obstacle", () => {
  const onBranch = temporaryFolder({
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/BISECT_LOG": "",
    ".git/objects/x": "",
  });
  expect(() => checkNoUnfinishedOperation(onBranch)).not.toThrow();
  write(onBranch, { ".git/HEAD": `${"a".repeat(40)}\n` });
  expect(() => checkNoUnfinishedOperation(onBranch)).toThrow("A bisect is in progress");
});
