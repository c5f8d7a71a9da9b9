import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commitDelta } from "../test/commit-delta.ts";
import { checkRepository } from "../src/system/git/unfinished-operation.ts";
import { snapshot } from "../src/system/git/snapshot.ts";
import type { Print } from "./all.ts";
import { median, row } from "./measure.ts";

const ROUNDS = 21;

/** Our look at the tree and our commit against git's own, by turns so that both see the same machine. */
export async function benchGit(print: Print): Promise<void> {
  for (const files of [100, 3000]) {
    const folders = ["ours", "gits"].map((name) => mkdtempSync(join(tmpdir(), `ralphctl-bench-${name}-`)));
    try {
      for (const folder of folders) begin(folder, files);
      await benchSize({ ours: folders[0]!, gits: folders[1]! }, files, print);
    } finally {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function benchSize(at: { ours: string; gits: string }, files: number, print: Print): Promise<void> {
  const repository = await checkRepository({ folder: at.ours, env: environment(at.ours) });
  const first = await timedAsync(() => snapshot(repository));
  print(row(`first snapshot, ${files} files`, `${first.ms.toFixed(1)} ms`));

  const times: Record<string, number[]> = {};
  const measure = async <Value>(name: string, action: () => Promise<Value> | Value): Promise<Value> => {
    const { ms, value } = await timedAsync(action);
    (times[name] ??= []).push(ms);
    return value;
  };
  const edit = (folder: string, round: number): void => {
    for (const name of ["0", "1", "new"]) writeFileSync(join(folder, `d1/${name}.txt`), `${round}\n`);
  };
  const rules = { maxFileBytes: 5_000_000, inputs: [], allow: [] };
  let last = first.value;
  for (let round = 0; round < ROUNDS; round += 1) {
    await measure("git status", () => run(at.ours, "status", "--porcelain=v2", "-z", "-uall"));
    last = await measure("snapshot, nothing changed", () => snapshot(repository, last));
    edit(at.ours, round);
    const now = await measure("snapshot, three files changed", () => snapshot(repository, last));
    const span = { base: last, now };
    const result = await measure("commit of three files", () =>
      commitDelta(repository, span, { rules, message: "B\n" }),
    );
    if (result.kind !== "committed") throw new Error(`nothing was committed: ${result.kind}`);
    edit(at.gits, round);
    await measure("git add; git commit", () => {
      run(at.gits, "add", "--all");
      run(at.gits, "commit", "--quiet", "--no-verify", "--message", "Bench");
    });
    last = await snapshot(repository, now);
  }
  const bare = { status: median(times["git status"]!), commit: median(times["git add; git commit"]!) };
  for (const [name, measured] of Object.entries(times)) {
    const own = median(measured);
    const against = name.includes("status") || name.includes("snapshot") ? "status" : "commit";
    print(row(`${name}, ${files} files`, `${own.toFixed(1)} ms`, `${(own / bare[against]).toFixed(2)} x ${against}`));
  }
}

const environment = (folder: string) => ({ PATH: process.env["PATH"], HOME: folder });

const run = (folder: string, ...args: readonly string[]): void => {
  execFileSync("git", [...args], { cwd: folder, env: environment(folder), stdio: ["ignore", "pipe", "pipe"] });
};

function begin(folder: string, files: number): void {
  fill(folder, files);
  run(folder, "init", "--quiet");
  run(folder, "config", "user.name", "B");
  run(folder, "config", "user.email", "b@b.invalid");
  run(folder, "add", "--all");
  run(folder, "commit", "--quiet", "--message", "Begin");
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
