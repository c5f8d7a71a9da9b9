import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** All text of a repository that a person can still reach: files, index, refs, stash, reflogs. */
export function everythingIn(folder: string): string {
  const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024 } as const;
  const list = ["rev-list", "--objects", "--all", "--reflog", "--indexed-objects"];
  const names = execFileSync("git", list, { ...options, encoding: "utf8" })
    .split("\n")
    .map((line) => line.slice(0, line.includes(" ") ? line.indexOf(" ") : undefined))
    .join("\n");
  const objects = execFileSync("git", ["cat-file", "--batch"], { ...options, input: names }).toString("latin1");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => !path.startsWith(".git/") && path !== ".git")
    .map((path) => join(folder, path))
    .filter((path) => existsSync(path) && statSync(path).isFile());
  return [objects, ...files.map((path) => readFileSync(path, "latin1"))].join("\n");
}
