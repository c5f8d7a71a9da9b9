// A worker of the kill walk: bundled and started as a process of its own. It lends a tree, works in it, gives it back.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openLent } from "./lent-tree.ts";
import { openRepository } from "../src/system/git/repository.ts";

const [, , , folder = "", sign = ""] = process.argv;
const home = await openRepository({ folder, env: process.env });
const git = (...args: readonly string[]): string =>
  execFileSync("git", [...args], { cwd: folder, encoding: "utf8", env: { ...process.env, ...lane.env } }).trim();
const lane = await openLent(home);
const [head, tree] = [git("rev-parse", "HEAD"), git("rev-parse", "HEAD^{tree}")];
await lane.begin({ head, tree }, "t1");
git("switch", "--quiet", "--create", "agents");
writeFileSync(join(folder, "a.txt"), "committed-by-agent\n");
git("commit", "--quiet", "--all", "--message", "By the agent");
writeFileSync(join(folder, "a.txt"), "staged-by-agent\n");
git("add", "a.txt");
writeFileSync(join(folder, "a.txt"), "saved-by-agent\n");
writeFileSync(join(folder, "new.txt"), "untracked-by-agent\n");
await lane.collect();
writeFileSync(sign, "");
await lane.release();
await home.shells?.close();
