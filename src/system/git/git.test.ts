import { expect, test } from "vitest";
import { git as run, temporaryRepository, write } from "../../../test/temporary-folder.ts";
import { commitPaths, git, ignoredPaths } from "./git.ts";

const place = (folder: string) => ({ folder, env: { PATH: process.env["PATH"] } });

test("P-32 a commit takes the paths by name: patterns in them mean nothing", async () => {
  const folder = temporaryRepository({ "ab.txt": "1" });
  write(folder, { "ab.txt": "2", "a*.txt": "new" });
  expect(await commitPaths(place(folder), ["a*.txt"], "Star")).toMatch(/^[0-9a-f]{7,}$/);
  expect(run(folder, "status", "--porcelain")).toBe("M ab.txt");
});

test("a commit that fails leaves nothing staged behind", async () => {
  const folder = temporaryRepository({ "a.txt": "1" });
  write(folder, { "b.txt": "new", ".git/HEAD.lock": "" });
  await expect(commitPaths(place(folder), ["b.txt"], "B")).rejects.toMatchObject({ kind: "io" });
  expect(run(folder, "status", "--porcelain")).toBe("?? b.txt");
});

test("ignored paths are those that a rule names", async () => {
  const folder = temporaryRepository({ ".gitignore": "*.log\n" });
  expect(await ignoredPaths(place(folder), ["a.log", "b*.txt", "c/d.log"])).toEqual(["a.log", "c/d.log"]);
});

test("X-69 without git there is a sentence and a hint", async () => {
  const answer = git({ folder: temporaryRepository(), env: { PATH: "/nowhere" } }, ["status"]);
  await expect(answer).rejects.toMatchObject({ kind: "unavailable", message: "Cannot start git: ENOENT" });
});

test("ignored paths are found by name, also those with a colon first or bytes that are no UTF-8", async () => {
  const folder = temporaryRepository({ ".gitignore": "*.log\n", "kept.log": "" });
  run(folder, "add", "--force", "kept.log");
  const paths = ["a.log", ":b.log", "a.txt", "kept.log", "\udcff.log"];
  expect(await ignoredPaths(place(folder), paths)).toEqual(["a.log", ":b.log", "\udcff.log"]);
  expect(await ignoredPaths(place(folder), ["a.txt"])).toEqual([]);
});
