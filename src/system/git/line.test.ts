import { expect, test } from "vitest";
import { repositoryAt } from "../../../test/git-place.ts";
import { commitAll, git, temporaryFolder, temporaryRepository, write } from "../../../test/temporary-folder.ts";
import { type CommitLine, firstParentLine, isSameChange, resolveSince } from "./line.ts";

const subjects = ({ commits, end }: CommitLine): unknown => [commits.map(({ subject }) => subject), end];

function commit(folder: string, subject: string): string {
  write(folder, { [`${subject}.txt`]: subject });
  commitAll(folder, subject);
  return git(folder, "rev-parse", "HEAD").trim();
}

/** Begin, one, a merge of side, two. */
function repository(): { readonly folder: string; readonly side: string; readonly two: string } {
  const folder = temporaryRepository({ "begin.txt": "" });
  commit(folder, "one");
  git(folder, "checkout", "--quiet", "-b", "side");
  const side = commit(folder, "side");
  git(folder, "checkout", "--quiet", "main");
  git(folder, "merge", "--quiet", "--no-ff", "-m", "merge", "side");
  return { folder, side, two: commit(folder, "two") };
}

test("T-30 a line has the first parents of a commit, and says why it ends", async () => {
  const { folder, side, two } = repository();
  const home = await repositoryAt(folder);
  expect(subjects(await firstParentLine(home, two))).toEqual([["Begin", "one", "merge", "two"], "first commit"]);
  const { commits } = await firstParentLine(home, two);
  expect(commits.map(({ parent }) => parent)).toEqual([undefined, ...commits.slice(0, -1).map(({ id }) => id)]);
  expect(subjects(await firstParentLine(home, two, `${two}^`))).toEqual([["merge", "two"], "since"]);
  // The commit came with the merge, so the line begins below that.
  expect(subjects(await firstParentLine(home, two, side))).toEqual([["one", "merge", "two"], "since"]);
  expect(subjects(await firstParentLine(home, two, two))).toEqual([["two"], "since"]);
});

test("T-30 in a shallow clone a line ends where the history does", async () => {
  const { folder, two } = repository();
  const clone = temporaryFolder();
  git(clone, "clone", "--quiet", "--depth", "2", `file://${folder}`, ".");
  const home = await repositoryAt(clone);
  expect(subjects(await firstParentLine(home, two))).toEqual([["merge", "two"], "shallow"]);
});

test("T-30 --since takes any name of a commit in the history, and refuses others with a hint", async () => {
  const { folder, two } = repository();
  git(folder, "tag", "v1", "HEAD~1");
  git(folder, "checkout", "--quiet", "-b", "other", "HEAD~2");
  commit(folder, "elsewhere");
  const home = await repositoryAt(folder);
  expect(await resolveSince(home, two, "v1")).toBe(git(folder, "rev-parse", "v1").trim());
  await expect(resolveSince(home, two, "nope")).rejects.toMatchObject({ kind: "usage", hint: expect.any(String) });
  await expect(resolveSince(home, two, "--all")).rejects.toMatchObject({ kind: "usage" });
  await expect(resolveSince(home, two, "other")).rejects.toMatchObject({
    message: '"other" is not part of the history of HEAD',
  });
});

test("T-30 two commits are the same change if the same files become the same", async () => {
  const folder = temporaryRepository({ "begin.txt": "" });
  const one = commit(folder, "work");
  git(folder, "reset", "--quiet", "--hard", "HEAD~1");
  commit(folder, "below");
  const again = commit(folder, "work");
  const other = commit(folder, "more");
  const home = await repositoryAt(folder);
  const pair = (id: string): readonly [string, string] => [`${id}^`, id];
  expect(await isSameChange(home, pair(one), pair(again))).toBe(true);
  expect(await isSameChange(home, pair(one), pair(other))).toBe(false);
  expect(await isSameChange(home, pair("0".repeat(40)), pair(one))).toBe(false);
});
