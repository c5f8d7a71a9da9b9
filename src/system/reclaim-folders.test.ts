import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { reclaimFolders } from "./reclaim-folders.ts";

const OURS = ".ralph/runs/r-1/1";

test("W-05 what is a folder, with files, stays as it is", () => {
  const root = temporaryFolder({ [`${OURS}/prompt.md`]: "Hello" });
  expect([reclaimFolders(root, [join(root, OURS)]), readdirSync(join(root, OURS))]).toEqual([[], ["prompt.md"]]);
});

test("W-05 what does not exist is not made", () => {
  const root = temporaryFolder();
  expect([reclaimFolders(root, [join(root, OURS)]), readdirSync(root)]).toEqual([[], []]);
});

test.each([".ralph", ".ralph/runs", ".ralph/runs/r-1", OURS])(
  "W-05 a link that leaves the workspace is removed from the place of %s, and what it leads to stays",
  (place) => {
    const root = temporaryFolder();
    const outside = temporaryFolder({ "runs/r-1/1/mine.txt": "mine" });
    mkdirSync(join(root, place, ".."), { recursive: true });
    symlinkSync(outside, join(root, place));
    expect([reclaimFolders(root, [join(root, OURS)]), existsSync(join(root, place))]).toEqual([[place], false]);
    expect(readdirSync(join(outside, "runs/r-1/1"))).toEqual(["mine.txt"]);
  },
);

test("W-05 a link that leads nowhere and a file are removed from the place of a folder", () => {
  const root = temporaryFolder({ ".ralph/runs": "a file" });
  const other = temporaryFolder({ ".ralph/x": "" });
  symlinkSync("/does/not/exist", join(other, ".ralph/runs"));
  expect([reclaimFolders(root, [join(root, OURS)]), reclaimFolders(other, [join(other, OURS)])]).toEqual([
    [".ralph/runs"],
    [".ralph/runs"],
  ]);
});

test("W-05 a link to a folder inside the workspace stays: a person may want it", () => {
  const root = temporaryFolder({ "cache/r-1/1/prompt.md": "", ".ralph/x": "" });
  symlinkSync("../cache", join(root, ".ralph/runs"));
  expect([reclaimFolders(root, [join(root, OURS)]), existsSync(join(root, ".ralph/runs"))]).toEqual([[], true]);
});

test("W-05 links in the folder are removed, wherever they lead", () => {
  const root = temporaryFolder({ [`${OURS}/prompt.md`]: "" });
  const outside = temporaryFolder({ "a.txt": "mine" });
  symlinkSync(join(outside, "a.txt"), join(root, OURS, "result.json"));
  symlinkSync("prompt.md", join(root, OURS, "change.patch"));
  const removed = reclaimFolders(root, [join(root, OURS)]).sort();
  expect([removed, readdirSync(join(root, OURS)), readdirSync(outside)]).toEqual([
    [`${OURS}/change.patch`, `${OURS}/result.json`],
    ["prompt.md"],
    ["a.txt"],
  ]);
});

test("W-05 pipes in the folder are removed: whoever writes into one waits for a reader", () => {
  const root = temporaryFolder({ [`${OURS}/prompt.md`]: "" });
  execFileSync("mkfifo", [join(root, OURS, "result.json")]);
  const removed = reclaimFolders(root, [join(root, OURS)]);
  expect([removed, readdirSync(join(root, OURS))]).toEqual([[`${OURS}/result.json`], ["prompt.md"]]);
});

test("W-05 a folder that is not below the root is nobody's business here", () => {
  const root = temporaryFolder();
  const outside = temporaryFolder();
  writeFileSync(join(outside, "a.txt"), "");
  symlinkSync("a.txt", join(outside, "b.txt"));
  expect([reclaimFolders(root, [outside]), reclaimFolders(root, [root]), readdirSync(outside)]).toEqual([
    [],
    [],
    ["a.txt", "b.txt"],
  ]);
});

test("W-05 of folders that lie beside each other each is looked after, and what is above them once", () => {
  const outside = temporaryFolder({ "a.txt": "x" });
  const root = temporaryFolder({ "runs/one/prompt.md": "Hello", "runs/two/prompt.md": "Hello" });
  symlinkSync(join(outside, "a.txt"), join(root, "runs/one/link"));
  symlinkSync(outside, join(root, "runs/three"));
  const folders = ["one", "two", "three", "four"].map((name) => join(root, "runs", name));
  expect([reclaimFolders(root, folders).sort(), readdirSync(join(root, "runs")), readdirSync(outside)]).toEqual([
    ["runs/one/link", "runs/three"],
    ["one", "two"],
    ["a.txt"],
  ]);
  rmSync(join(root, "runs"), { recursive: true });
  symlinkSync(outside, join(root, "runs"));
  expect(reclaimFolders(root, folders)).toEqual(["runs"]);
});
