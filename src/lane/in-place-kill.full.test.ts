import { spawnSync } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { everythingIn } from "../../test/everything-in.ts";
import { placeAt } from "../../test/git-place.ts";
import { byLane } from "../../test/lane.ts";
import { afterKill, openLent } from "../../test/lent-tree.ts";
import { copyFolder, git, temporaryFolder, temporaryRepository } from "../../test/temporary-folder.ts";
import { readLoan } from "../system/git/loan.ts";
import { openRepository } from "../system/git/repository.ts";

const WRITTEN = ["committed-by-agent", "staged-by-agent", "saved-by-agent", "untracked-by-agent"];

async function bundledWorker(): Promise<string> {
  const folder = temporaryFolder();
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  const outfile = join(folder, "worker.mjs");
  const options = { bundle: true, format: "esm", platform: "node", target: "node20.19", logLevel: "error" } as const;
  await build({ ...options, entryPoints: ["test/in-place-worker.ts"], outfile });
  return outfile;
}

test(
  "T-40 killed at any step of a reset, nothing is lost, and the next run finishes it",
  { timeout: 600_000 },
  async () => {
    const worker = await bundledWorker();
    const template = temporaryRepository({ "a.txt": "1\n", "b.txt": "2\n" });
    const head = git(template, "rev-parse", "HEAD");
    let killed = 0;
    for (let at = 1; ; at += byLane(7, 1)) {
      const folder = temporaryFolder();
      copyFolder(template, folder);
      const sign = join(temporaryFolder(), "sign");
      const env = { PATH: process.env["PATH"], HOME: folder, DIE_FROM: "file writeFile sign", DIE_AT: String(at) };
      const args = ["--import", resolve("test/die-at.mjs"), worker, "run", folder, sign];
      const { signal, status, stderr } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: "utf8" });
      if (signal === null) {
        expect([status, stderr, existsSync(sign)]).toEqual([0, "", true]);
        break;
      }
      killed += 1;
      const home = await openRepository(placeAt(folder));
      await afterKill(home);
      const run = (...words: readonly string[]): string => git(folder, ...words);
      expect([at, run("status", "--porcelain"), run("rev-parse", "HEAD"), run("symbolic-ref", "HEAD")]).toEqual([
        at,
        "",
        head,
        "refs/heads/main",
      ]);
      const all = everythingIn(folder);
      expect([at, WRITTEN.filter((text) => !all.includes(text))]).toEqual([at, []]);
      expect(await readLoan(home)).toBeUndefined();
      await (await openLent(home)).release();
      await home.shells?.close();
    }
    expect(killed).toBeGreaterThan(byLane(5, 40));
  },
);
