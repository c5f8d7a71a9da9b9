import { rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { writeCommit } from "./commit.ts";
import { newRepository } from "../../../test/git-place.ts";
import { commitFiles } from "../../../test/land-files.ts";
import { git } from "../../../test/temporary-folder.ts";
import { isKept } from "./garbage-collection.ts";
import type { Repository } from "./repository.ts";
import { dropWork, isWhole, keepProving, keepWork, readWork, renameWork } from "./work-ref.ts";

let home: Repository;
let base: string;
beforeEach(async () => {
  home = await newRepository({ "a.txt": "1\n" });
  base = git(home.folder, "rev-parse", "HEAD");
});

const refs = (): string[] => git(home.folder, "for-each-ref", "--format=%(refname)", "refs/ralph").split("\n");
const treeWith = async (text: string, parent = base): Promise<string> =>
  git(home.folder, "rev-parse", `${await commitFiles(home, parent, { "a.txt": text })}^{tree}`);

describe("L-07 the work of a session", () => {
  test("L-07 is kept as a commit on what it began on, and read by its task", async () => {
    const tree = await treeWith("work\n");
    await keepWork(home, { task: "T1", tree, base, agentHead: undefined, message: "Work on T1\n" });
    expect(refs()).toEqual(["refs/ralph/work/T1"]);
    const kept = await readWork(home, "T1");
    expect(kept).toEqual({ commit: git(home.folder, "rev-parse", "refs/ralph/work/T1"), tree, base });
    expect(git(home.folder, "log", "-1", "--format=%T %P %s", kept!.commit)).toBe(`${tree} ${base} Work on T1`);
    expect(await readWork(home, "T2")).toBe(undefined);
  });

  test("L-07 kept twice is kept once: a run that was killed may repeat it", async () => {
    const work = { task: "T1", tree: await treeWith("work\n"), base, agentHead: undefined, message: "Work\n" };
    await keepWork(home, work);
    const first = await readWork(home, "T1");
    await keepWork(home, work);
    expect(await readWork(home, "T1")).toEqual(first);
  });

  test("L-07 holds the agent's own commits and the work of earlier sessions", async () => {
    const commits: string[] = [];
    for (const text of ["one\n", "two\n"]) {
      const agentHead = await commitFiles(home, base, { "a.txt": `commit ${text}` });
      await keepWork(home, { task: "T1", tree: await treeWith(text), base, agentHead, message: "Work\n" });
      commits.push(agentHead, (await readWork(home, "T1"))!.commit);
    }
    git(home.folder, "reflog", "expire", "--expire=now", "--all");
    git(home.folder, "gc", "--quiet", "--prune=now");
    for (const commit of commits) expect(git(home.folder, "cat-file", "-t", commit)).toBe("commit");
    expect((await readWork(home, "T1"))?.base).toBe(base);
  });

  test("L-07 is dropped or renamed, and that of no other task", async () => {
    for (const task of ["T1", "T10", "T1.a"]) {
      await keepWork(home, { task, tree: await treeWith("one\n"), base, agentHead: undefined, message: "Work\n" });
    }
    const commit = (await readWork(home, "T10"))!.commit;
    await dropWork(home, "T1");
    await dropWork(home, "T1");
    expect(await renameWork(home, "T10", "refs/ralph/run/T10")).toEqual({ ref: "refs/ralph/run/T10", commit });
    expect(await renameWork(home, "T10", "refs/ralph/run/T10")).toBe(undefined);
    expect(refs()).toEqual(["refs/ralph/run/T10", "refs/ralph/work/T1.a"]);
  });

  test("L-07 has a ref for every id of a task, and none for what is no id", async () => {
    const tree = await treeWith("work\n");
    const keep = (task: string): Promise<string> =>
      keepWork(home, { task, tree, base, agentHead: undefined, message: "Work\n" });
    const ids = ["a..b", "-x", "a.lock", "a.", "_", "A"];
    await Promise.all(ids.map(keep));
    expect(refs()).toHaveLength(ids.length);
    for (const task of ["", "a/b", "a b", "../main", "a\nb", "a~1"]) {
      await expect(keep(task)).rejects.toMatchObject({ kind: "data" });
    }
  });
});

test("L-20 T-40 a tree that is being proven survives gc --prune=now, and one that lost an object is known", async () => {
  const tree = await treeWith("proving\n");
  const collectGarbage = (): string => git(home.folder, "gc", "--quiet", "--prune=now");
  expect(await keepProving(home, "T1", { tree, head: base })).toBe(true);
  collectGarbage();
  expect(await isWhole(home, { tree, head: base })).toBe(true);
  await dropWork(home, "T1");
  collectGarbage();
  expect(await isWhole(home, { tree, head: base })).toBe(false);
  expect(await keepProving(home, "T1", { tree, head: base })).toBe(false);
});

test("T-40 L-20 an object that a gc under way may still remove is not taken for kept, in spite of its ref", async () => {
  const tree = await treeWith("proving\n");
  const commit = git(home.folder, "commit-tree", "-m", "x", tree);
  const pid = join(home.commonFolder, "gc.pid");
  writeFileSync(pid, `${process.pid} ${hostname()}`);
  const answers = Promise.all([keepProving(home, "T1", { tree, head: base }), isKept(home, commit)]);
  expect(await Promise.race([answers, wait(400, "waits")])).toBe("waits");
  for (const name of [tree, commit]) rmSync(join(home.commonFolder, "objects", name.slice(0, 2), name.slice(2)));
  rmSync(pid);
  expect(await answers).toEqual([false, false]);
  // Nor is a commit whose tree is there.
  const old = git(home.folder, "rev-parse", `${base}^{tree}`);
  const same = await writeCommit(home, { tree: old, parents: [base], message: "x\n" });
  writeFileSync(pid, `${process.pid} ${hostname()}`);
  const answer = keepProving(home, "T1", { tree: same, head: base });
  expect(await Promise.race([answer, wait(400, "waits")])).toBe("waits");
  rmSync(join(home.commonFolder, "objects", same.slice(0, 2), same.slice(2)));
  rmSync(pid);
  expect(await answer).toBe(false);
  // One that was killed, or on another machine, says nothing.
  writeFileSync(pid, "999999999 elsewhere");
  expect(await isKept(home, base)).toBe(true);
});
