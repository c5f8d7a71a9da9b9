import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newRepository } from "../../../test/git-place.ts";
import { commitAll, git, temporaryFolder, write } from "../../../test/temporary-folder.ts";
import { writeCommit, writeTree } from "./commit.ts";
import { ownIndex, type Repository } from "./repository.ts";
import { snapshot } from "./snapshot.ts";
import { openView, setViewHead, viewHead } from "./view.ts";

const headOf = ({ folder }: Repository): string => git(folder, "rev-parse", "HEAD");

async function start(): Promise<{ readonly home: Repository; readonly view: Repository; readonly head: string }> {
  const home = await newRepository({ "a.txt": "1", "src/b.txt": "2", ".gitignore": "*.log\n" });
  const folder = temporaryFolder({ "a.txt": "1", "src/b.txt": "2", ".gitignore": "*.log\n" });
  const view = await openView(home, { folder, gitDir: join(temporaryFolder(), "view") }, headOf(home));
  return { home, view, head: headOf(home) };
}

describe("a view", () => {
  test("L-07 sees the files of another folder with the objects of home, and home sees what it writes", async () => {
    const { home, view, head } = await start();
    expect(await snapshot(view)).toMatchObject({ head, branch: undefined, changed: [] });
    write(view.folder, { "src/c.txt": "3", "x.log": "ignored" });
    const now = await snapshot(view);
    expect(now.changed.map(({ path }) => path)).toEqual(["src/c.txt"]);
    const tree = await writeTree(view, head, now.changed);
    expect([tree, git(home.folder, "show", `${tree}:src/c.txt`)]).toEqual([now.tree, "3"]);
    expect([git(home.folder, "status", "--porcelain"), existsSync(join(view.folder, ".git"))]).toEqual(["", false]);
  });

  test("L-07 moves its own HEAD only", async () => {
    const { home, view, head } = await start();
    write(view.folder, { "a.txt": "2" });
    const tree = await writeTree(view, head, (await snapshot(view)).changed);
    const commit = await writeCommit(view, { tree, parents: [head], message: "Ours\n" });
    setViewHead(view, commit);
    expect(await snapshot(view)).toMatchObject({ head: commit, tree, changed: [] });
    expect([headOf(home), git(home.folder, "status", "--porcelain", "--branch")]).toEqual([head, "## main"]);
  });

  test("L-07 follows the rules of home, and not those of the place's own repository", async () => {
    const { home, view } = await start();
    git(view.folder, "init", "--quiet");
    writeFileSync(join(view.folder, ".git/info/exclude"), "hidden.txt\n");
    mkdirSync(join(home.commonFolder, "info"), { recursive: true });
    writeFileSync(join(home.commonFolder, "info/exclude"), "private.txt\n");
    write(view.folder, { "hidden.txt": "x", "private.txt": "x" });
    expect((await snapshot(view)).changed.map(({ path }) => path)).toEqual(["hidden.txt"]);
  });

  test("L-05 is used again as it was, and made again where it is damaged", async () => {
    const { home, view, head } = await start();
    write(home.folder, { "a.txt": "2" });
    commitAll(home.folder, "Second");
    await snapshot(view);
    const place = { folder: view.folder, gitDir: view.gitFolder };
    writeFileSync(`${ownIndex(view)}.lock`, "");
    expect(viewHead(await openView(home, place, headOf(home)))).toBe(head);
    expect(existsSync(`${ownIndex(view)}.lock`)).toBe(false);
    for (const damage of [
      () => writeFileSync(join(view.gitFolder, "HEAD"), "ref: refs/heads/main\n"),
      () => writeFileSync(join(view.gitFolder, "HEAD"), ""),
      () => rmSync(view.gitFolder, { recursive: true }),
      () => {
        rmSync(view.gitFolder, { recursive: true });
        writeFileSync(view.gitFolder, "a file");
      },
    ]) {
      damage();
      expect(await snapshot(await openView(home, place, head))).toMatchObject({ head, changed: [] });
    }
    writeFileSync(join(view.gitFolder, "commondir"), "/nowhere\n");
    const mended = await openView(home, place, head);
    expect(readFileSync(join(view.gitFolder, "commondir"), "utf8")).toBe(`${home.commonFolder}\n`);
    expect((await snapshot(mended)).changed).toEqual([]);
  });
});
