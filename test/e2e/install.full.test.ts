import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";

/** The tracked files as they are now. */
function freshClone(): string {
  const folder = join(temporaryFolder(), "ralphctl");
  const files = execFileSync("git", ["ls-files", "-z"], { encoding: "utf8" }).split("\0").filter(Boolean);
  for (const path of files.filter((one) => !/^(test|docs|bench)\//.test(one))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(path, join(folder, path));
  }
  return folder;
}

test("npm install --global . on a fresh clone installs its tools first, and the program runs", () => {
  const folder = freshClone();
  const prefix = temporaryFolder();
  const args = ["install", "--global", "--prefix", prefix, "--prefer-offline", "--no-audit", "--no-fund", "."];
  execFileSync("npm", args, { cwd: folder, stdio: "pipe" });
  const said = execFileSync(join(prefix, "bin", "ralphctl"), ["--version"], { encoding: "utf8" });
  expect(said).toMatch(/^\d+\.\d+\.\d+/);
}, 600_000);
