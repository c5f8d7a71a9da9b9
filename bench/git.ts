import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commitDelta } from "../src/system/git-commit.ts";
import { checkRepository } from "../src/system/git-repository.ts";
import { snapshot } from "../src/system/git-snapshot.ts";
import type { Print } from "./all.ts";
import { median, row } from "./measure.ts";

const ROUNDS = 21;

/** Our look at the tree and our commit against git's own, by turns so that both see the same machine. */
export async function benchGit(print: Print): Promise<void> {
  for (const files of [100, 3000]) {
    const folder = mkdtempSync(join(tmpdir(), "ralphctl-bench-"));
    try {
      await benchSize(folder, files, print);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function benchSize(folder: string, files: number, print: Print): Promise<void> {
  fill(folder, files);
  const env = { PATH: process.env["PATH"], HOME: folder };
  const run = (...args: readonly string[]): void => {
    execFileSync("git", [...args], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  };
  run("init", "--quiet");
  run("add", "--all");
  run("-c", "user.name=B", "-c", "user.email=b@b.invalid", "commit", "--quiet", "--message", "Begin");
  run("config", "user.name", "B");
  run("config", "user.email", "b@b.invalid");
  const repository = await checkRepository({ folder, env });
  const first = await timedAsync(() => snapshot(repository));
  print(row(`first snapshot, ${files} files`, `${first.ms.toFixed(1)} ms`));

  const times: Record<string, number[]> = {};
  const measure = async <Value>(name: string, action: () => Promise<Value> | Value): Promise<Value> => {
    const { ms, value } = await timedAsync(action);
    (times[name] ??= []).push(ms);
    return value;
  };
  const edit = (name: string, round: number): void => writeFileSync(join(folder, `d1/${name}.txt`), `${round}\n`);
  let last = first.value;
  for (let round = 0; round < ROUNDS; round += 1) {
    await measure("git status", () => run("status", "--porcelain=v2", "-z", "-uall"));
    last = await measure("snapshot, nothing changed", () => snapshot(repository, last));
    for (const name of ["0", "1", "new"]) edit(name, round);
    const now = await measure("snapshot, three files changed", () => snapshot(repository, last));
    const rules = { maxFileBytes: 5_000_000, usersOwn: [] };
    await measure("commit of three files", () =>
      commitDelta(repository, { base: last, now }, { rules, message: "Bench\n" }),
    );
    for (const name of ["0", "1", "new"]) edit(name, round + ROUNDS);
    await measure("git add; git commit", () => {
      run("add", "--all");
      run("commit", "--quiet", "--no-verify", "--message", "Bench");
    });
    last = await snapshot(repository);
  }
  const bare = { snapshot: median(times["git status"]!), commit: median(times["git add; git commit"]!) };
  for (const [name, measured] of Object.entries(times)) {
    const own = median(measured);
    const [against, git] = name.includes("commit") ? ["commit", bare.commit] : ["status", bare.snapshot];
    print(row(`${name}, ${files} files`, `${own.toFixed(1)} ms`, `${(own / git).toFixed(2)} x git ${against}`));
  }
}

function fill(folder: string, files: number): void {
  for (let index = 0; index < files; index += 1) {
    const inside = join(folder, `d${Math.floor(index / 30)}`);
    if (index % 30 === 0) mkdirSync(inside);
    writeFileSync(join(inside, `${index % 30}.txt`), `file ${index}\n`.repeat(20));
  }
}

async function timedAsync<Value>(action: () => Promise<Value> | Value): Promise<{ ms: number; value: Value }> {
  const start = performance.now();
  const value = await action();
  return { ms: performance.now() - start, value };
}
