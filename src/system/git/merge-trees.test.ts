import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { newRepository } from "../../../test/git-place.ts";
import { commitFiles, contentIn, type Files } from "../../../test/land-files.ts";
import { git } from "../../../test/temporary-folder.ts";
import { gitBytes } from "./git.ts";
import { mergeTrees, type TreeMerge } from "./merge-trees.ts";
import { emptyTree, type Repository } from "./repository.ts";
import { compareTrees } from "./tree-changes.ts";

const LINES = Array.from({ length: 20 }, (_, line) => `line ${line}\n`).join("");
const withLine = (line: number, text: string): string => LINES.replace(`line ${line}\n`, `${text}\n`);

let home: Repository;
let base: string;
beforeAll(async () => {
  home = await newRepository({ "a.txt": LINES, "b.txt": "1\n", "old/name.txt": LINES });
  base = git(home.folder, "rev-parse", "HEAD");
});

const treeOf = (name: string): string => git(home.folder, "rev-parse", `${name}^{tree}`);

async function conflict(...sides: readonly [string, string]): Promise<Extract<TreeMerge, { kind: "conflict" }>> {
  const merged = await mergeTrees(home, { base, ours: sides[0], theirs: sides[1] });
  if (merged.kind !== "conflict") throw new Error("the merge is clean");
  return merged;
}

describe("L-20 a candidate is merged onto what landed meanwhile", () => {
  test("L-20 where one side has not moved, the other is the result", async () => {
    const work = await commitFiles(home, base, { "b.txt": "work\n" });
    for (const sides of [
      { ours: base, theirs: work },
      { ours: work, theirs: base },
      { ours: work, theirs: treeOf(work) },
    ]) {
      expect(await mergeTrees(home, { base, ...sides })).toEqual({ kind: "clean", tree: treeOf(work) });
    }
  });

  test("L-20 changes of different lines and renamed files come together; tree, refs and index of the person stay", async () => {
    const ours = await commitFiles(home, base, {
      "a.txt": withLine(2, "ours"),
      "old/name.txt": undefined,
      "new.txt": LINES,
    });
    const theirs = await commitFiles(home, base, {
      "a.txt": withLine(15, "theirs"),
      "old/name.txt": withLine(9, "more"),
    });
    const before = [git(home.folder, "status", "--porcelain"), git(home.folder, "for-each-ref")];
    const merged = await mergeTrees(home, { base, ours, theirs: treeOf(theirs) });
    expect(merged.kind).toBe("clean");
    expect(await contentIn(home, merged.tree, "a.txt")).toBe(withLine(2, "ours").replace("line 15", "theirs"));
    expect(await contentIn(home, merged.tree, "new.txt")).toBe(withLine(9, "more"));
    expect(await contentIn(home, merged.tree, "old/name.txt")).toBe(undefined);
    expect([git(home.folder, "status", "--porcelain"), git(home.folder, "for-each-ref")]).toEqual(before);
  });

  test("L-20 the base is the one that is given, not the one of the history", async () => {
    const landed = await commitFiles(home, base, { "b.txt": "landed\n" });
    const taken = await commitFiles(home, landed, { "b.txt": "1\n" });
    // By history `taken` has only taken back what landed; from `landed` on it is a change.
    const merged = await mergeTrees(home, { base: landed, ours: landed, theirs: taken });
    expect(merged).toEqual({ kind: "clean", tree: treeOf(base) });
    const beside = await commitFiles(home, base, { "b.txt": "landed\n", "c.txt": "c\n" });
    const both = await mergeTrees(home, { base: landed, ours: beside, theirs: taken });
    expect(both.kind).toBe("clean");
    expect(await contentIn(home, both.tree, "b.txt")).toBe("1\n");
    expect(await contentIn(home, both.tree, "c.txt")).toBe("c\n");
  });

  test("L-20 a conflict names the paths and shows both sides and what was before", async () => {
    const ours = await commitFiles(home, base, { "a.txt": withLine(2, "ours"), "b.txt": undefined });
    const theirs = await commitFiles(home, base, { "a.txt": withLine(2, "theirs"), "b.txt": "changed\n" });
    const { paths, text, tree } = await conflict(ours, theirs);
    expect([...paths].sort()).toEqual(["a.txt", "b.txt"]);
    expect(text).toContain("CONFLICT (content): Merge conflict in a.txt");
    expect(text).toMatch(/CONFLICT \(modify\/delete\): b.txt deleted in ours and modified in theirs/);
    expect(text).toContain("a.txt:\n<<<<<<< ours\nours\n||||||| base\nline 2\n=======\ntheirs\n>>>>>>> theirs");
    expect(await contentIn(home, tree, "a.txt")).toContain("<<<<<<<");
  });

  test("L-20 without a common base, two files of one name are a conflict", async () => {
    const [ours, theirs] = [
      await commitFiles(home, base, { "n.txt": "a\n" }),
      await commitFiles(home, base, { "n.txt": "b\n" }),
    ];
    const merged = await mergeTrees(home, { base: emptyTree(home), ours, theirs });
    expect(merged).toMatchObject({ kind: "conflict", paths: ["n.txt"] });
  });

  test("L-20 a long conflict is told in part, and one of bytes that are no text without them", async () => {
    const long = (word: string): string => `${word} ü\n`.repeat(3000);
    const ours = await commitFiles(home, base, { "a.txt": long("ours"), "b.txt": "\0ours\n" });
    const theirs = await commitFiles(home, base, { "a.txt": long("theirs"), "b.txt": "\0theirs\n" });
    const { text, paths } = await conflict(ours, theirs);
    expect([...paths].sort()).toEqual(["a.txt", "b.txt"]);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8 * 1024);
    expect(text).toMatch(/… \(\d+ more bytes\)$/);
    expect(text).not.toMatch(/[\0\uFFFD]/);
  });

  test("L-20 a name that git does not know is an error", async () => {
    await expect(mergeTrees(home, { base, ours: "nowhere", theirs: base })).rejects.toMatchObject({ kind: "io" });
  });
});

describe("L-20 sides that change other files are merged without git, as git would", () => {
  test("L-20 no git starts for them once their trees are known", async () => {
    const ours = await commitFiles(home, base, { "a.txt": "ours\n", "new/ours.txt": "1\n" });
    const theirs = await commitFiles(home, base, { "b.txt": "theirs\n", "new/theirs.txt": "1\n", "old/more/é": "1\n" });
    const { shells: _, ...plain } = home;
    const gitless = { ...plain, env: { PATH: "/nowhere" } };
    for (const side of [ours, theirs]) await compareTrees(home, base, side);
    const { tree } = await mergeTrees(gitless, { base, ours, theirs });
    expect(tree).toBe(git(home.folder, "merge-tree", "--write-tree", ours, theirs));
    expect(git(home.folder, "fsck", "--strict", "--no-progress", "--no-dangling")).toBe("");
    const gone = await commitFiles(home, base, { "b.txt": undefined });
    await compareTrees(home, base, gone);
    await expect(mergeTrees(gitless, { base, ours, theirs: gone })).rejects.toMatchObject({ kind: "unavailable" });
  });

  test("L-20 any two sides give the tree that git gives", async () => {
    const paths = ["a.txt", "b.txt", "old/name.txt", "old/new.txt", "b.txt/in", "new", "new/in", "new.d/in"];
    const side = fc.dictionary(
      fc.constantFrom(...paths),
      fc.constantFrom("1\n", "2\n", LINES, withLine(3, "x"), undefined),
      { maxKeys: 3 },
    );
    await fc.assert(
      fc.asyncProperty(side, side, async (ours: Files, theirs: Files) => {
        const sides = [await commitFiles(home, base, ours), await commitFiles(home, base, theirs)] as const;
        const merged = await mergeTrees(home, { base, ours: sides[0], theirs: sides[1] });
        const answer = await gitBytes(home, ["merge-tree", "--write-tree", ...sides]);
        expect(merged.kind).toBe(answer.code === 0 ? "clean" : "conflict");
        if (answer.code === 0) expect(merged.tree).toBe(answer.stdout.toString().trim());
      }),
      {
        numRuns: 20,
        examples: [
          // A file where the other side has a folder, and a folder that one side renames.
          [{ new: "1\n" }, { "new/in": "1\n" }],
          [{ "old/name.txt": undefined, "new/in": LINES }, { "old/new.txt": "1\n" }],
        ],
      },
    );
  });
});
