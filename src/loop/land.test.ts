import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { newRepository } from "../../test/git-place.ts";
import { git, temporaryFolder } from "../../test/temporary-folder.ts";
import { targetOf } from "../system/git/landing.ts";
import { landTree } from "./land.ts";

const REAL = execFileSync("/bin/sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();

/** A git that loses the commit of the first landing, as a gc does that began before a ref named it. */
function forgetfulGit(): string {
  const folder = temporaryFolder();
  const program = join(folder, "git");
  const lines = [
    "#!/bin/sh",
    `case "$*" in *update-ref*--stdin*) if mkdir '${folder}/lost' 2>/dev/null; then`,
    `  '${REAL}' "$@" || exit`,
    `  commit=$('${REAL}' rev-parse refs/ralph/target/main)`,
    `  rm -f ".git/objects/$(echo "$commit" | cut -c 1-2)/$(echo "$commit" | cut -c 3-)"; exit 0`,
    "fi;; esac",
    `exec '${REAL}' "$@"`,
  ];
  writeFileSync(program, `${lines.join("\n")}\n`);
  chmodSync(program, 0o755);
  return folder;
}

test("L-20 L-23 T-40 a commit that a gc takes away after it landed is written again", async () => {
  // Its shells would start the git that they know.
  const { shells: _, ...real } = await newRepository({ "a.txt": "a\n" });
  const programs = forgetfulGit();
  const env = { ...real.env, PATH: [programs, process.env["PATH"]].join(delimiter) };
  const home = { ...real, env };
  const head = git(home.folder, "rev-parse", "HEAD");
  const target = targetOf(home, "main");
  git(home.folder, "update-ref", target.ref, head);
  const tree = git(home.folder, "rev-parse", "HEAD^{tree}");
  const landing = { tree, head, message: "Work\n", rewrite: async () => undefined };
  const commit = await landTree({ home, target }, landing);
  expect(existsSync(join(programs, "lost"))).toBe(true);
  expect(git(home.folder, "log", "--format=%H %s", "-1", target.ref)).toBe(`${commit} Work`);
  expect(await landTree({ home, target }, { ...landing, message: "Other\n" })).toBeUndefined();
});
