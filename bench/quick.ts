import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeTree } from "../src/system/git/commit.ts";
import { git } from "../src/system/git/git.ts";
import { openRepository } from "../src/system/git/repository.ts";
import { snapshot } from "../src/system/git/snapshot.ts";
import type { Print } from "./all.ts";
import { byTurns, type Cost, medianCost, row } from "./measure.ts";

const ROUNDS = 41;
/** So much memory has a run. */
const RUN_BYTES = 64 * 1024 * 1024;

/** Each quick path against the plain way, which a test holds it to. */
export async function benchQuick(print: Print): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "ralphctl-bench-quick-"));
  const ballast = Buffer.alloc(RUN_BYTES, 1);
  try {
    print(row("", "quick", "plain", "quick / plain"));
    await gitPaths(folder, print);
    startPath(print);
    ballast.fill(0); // so that it is kept until here
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function told(print: Print, name: string, { quick, plain }: Readonly<Record<"quick" | "plain", Cost>>): void {
  print(row(name, `${quick.ms.toFixed(1)} ms`, `${plain.ms.toFixed(1)} ms`, (quick.ms / plain.ms).toFixed(2)));
}

async function gitPaths(parent: string, print: Print): Promise<void> {
  const folder = join(parent, "repository");
  mkdirSync(folder);
  const files = Array.from({ length: 300 }, (_, at) => join(folder, `${at}.txt`));
  for (const file of files) writeFileSync(file, file);
  const run = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=b", "-c", "user.email=b@b", ...args], { cwd: folder });
  run("init", "--quiet");
  run("add", ".");
  run("commit", "--quiet", "--message", "First");
  const quick = await openRepository({ folder, env: process.env });
  const { shells, ...plain } = quick;
  const ask = (place: typeof plain) => async () => await git(place, ["rev-parse", "HEAD"]);
  told(print, "git rev-parse HEAD", await byTurns(ROUNDS, { quick: ask(quick), plain: ask(plain) }));
  let number = 0;
  const write = (repository: typeof plain) => async () => {
    for (const file of files.slice(0, 3)) writeFileSync(file, `${(number += 1)}`);
    const { head, changed } = await snapshot(repository);
    await writeTree(repository, head, changed);
  };
  const sides = { quick: write(quick), plain: write({ ...quick, writesObjects: false }) };
  told(print, "a look, and a tree with three new files", await byTurns(ROUNDS, sides));
  await shells?.close();
}

function startPath(print: Print): void {
  const plain = join(".cache", "bench", "plain");
  execFileSync(process.execPath, ["scripts/build.mjs", "--plain", plain]);
  const programs = { quick: join("dist", "bin.js"), plain: join(plain, "bin.js") };
  for (const args of [["--version"], ["config", "get"]]) {
    const costs = { quick: [] as Cost[], plain: [] as Cost[] };
    for (let round = 0; round <= ROUNDS / 2; round += 1) {
      for (const name of ["quick", "plain"] as const) {
        const start = performance.now();
        spawnSync(process.execPath, [programs[name], ...args]);
        costs[name].push({ ms: performance.now() - start, cpuMs: 0 });
      }
    }
    told(print, `ralphctl ${args.join(" ")}`, { quick: medianCost(costs.quick), plain: medianCost(costs.plain) });
  }
}
