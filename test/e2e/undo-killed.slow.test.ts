import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { PROGRAM } from "../built-program.ts";
import { photograph } from "../kill-report.ts";
import { landed, look } from "../landed-plan.ts";
import { type LoopWorkspace, placeAt } from "../loop-workspace.ts";
import { homeOf, temporaryFolder } from "../temporary-folder.ts";

/** Plays `ralphctl undo` up to one of its writes; 0: to its end. Returns the names of those that it passed. */
function undoAndDie(folder: string, args: readonly string[], dieAt: number): string[] {
  const log = join(temporaryFolder(), "log");
  const env = { PATH: process.env["PATH"], ...homeOf(folder), DIE_AT: String(dieAt), DIE_LOG: log };
  const words = ["--import", resolve("test/die-at.mjs"), PROGRAM, "undo", ...args];
  const { status, signal } = spawnSync(process.execPath, words, { cwd: folder, env, stdio: "ignore" });
  expect(dieAt === 0 ? status : signal).toBe(dieAt === 0 ? 0 : "SIGKILL");
  return readFileSync(log, "utf8").split("\n").filter(Boolean);
}

/** A killed write leaves the beginning of a file beside it, which the next run removes. */
async function after(place: LoopWorkspace) {
  const { status, ...seen } = await look(place);
  const lines = status.split("\n").filter((line) => !/^\?\? \.ralphctl-.*\.tmp$/.test(line));
  return { ...seen, status: lines.join("\n") };
}

/** Where something outlives the process; of what repeats itself, the first and the last. */
const WRITES = /^(?:sql commit|file rename|start(?:ed)? git (?:update-ref|read-tree|merge) ?)/i;

const worthDying = (names: readonly string[]): number[] =>
  names.flatMap((name, at) =>
    WRITES.test(name) && (names.indexOf(name) === at || names.lastIndexOf(name) === at) ? [at + 1] : [],
  );

for (const args of [[], ["--move-branch"]]) {
  test(`E-01 an undo ${args.join("")} that is killed at a write is finished by the next one`, async () => {
    const place = await landed({});
    const template = photograph(place.folder);
    const whole = placeAt(photograph(template));
    const points = worthDying(undoAndDie(whole.folder, [place.run1, ...args], 0));
    const wanted = await after(whole);
    expect(points.length).toBeGreaterThan(6);
    for (const point of points) {
      const copy = placeAt(photograph(template));
      const name = undoAndDie(copy.folder, [place.run1, ...args], point).at(-1);
      const { code } = await copy.ralphctl("undo", place.run1, ...args);
      expect([point, name, code, await after(copy)]).toEqual([point, name, expect.any(Number), wanted]);
      expect([0, 3]).toContain(code);
    }
  }, 600_000);
}
