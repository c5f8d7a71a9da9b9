import { execFileSync, spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { openPlace, resetPlace } from "../src/lane/place.ts";
import { openRepository } from "../src/system/git/repository.ts";
import type { Print } from "./all.ts";
import { byTurns, median, row } from "./measure.ts";
import { addTasks, begin, lanesOf, PROGRAM, remove } from "./workspace.ts";

const ROUNDS = 9;
const FEW = 100;
const MANY = 3100;
const LANDINGS = 15;

const IDLE = "cat >/dev/null";
const WORK = 'cat >/dev/null; echo "$RALPHCTL_TASK" >work.txt; echo "<task-done>$RALPHCTL_TASK</task-done>"';

/** What lanes, the room and landings take beside what git alone takes for about the same, by turns. */
export async function benchLanes(print: Print): Promise<void> {
  await within(FEW, IDLE, async (folder) => {
    const cold = (): void => rmSync(lanesOf(folder), { recursive: true, force: true });
    await firstSession(folder, print, { name: `first session, cold lane, ${FEW} files`, prepare: cold, bare: clone });
  });
  await within(MANY, IDLE, async (folder) => {
    const prepare = (): void => undefined;
    await firstSession(folder, print, { name: `first session, warm lane, ${MANY} files`, prepare, bare: status });
    await roomReset(folder, print);
  });
  await within(MANY, WORK, async (folder) => await landing(folder, print));
}

async function within(files: number, script: string, action: (folder: string) => Promise<void>): Promise<void> {
  const folder = begin(files, script, { gates: [{ id: "instant", run: "true" }] });
  try {
    await action(folder);
  } finally {
    remove(folder);
  }
}

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();

function clone(folder: string): void {
  const copy = join(dirname(folder), "bare-clone");
  rmSync(copy, { recursive: true, force: true });
  git(folder, "clone", "--quiet", "--local", folder, copy);
}

const status = (folder: string): void => void git(folder, "status", "--porcelain");

const milliseconds = (ms: number): string => `${ms.toFixed(0)} ms`;

interface FirstSession {
  readonly name: string;
  readonly prepare: () => void;
  readonly bare: (folder: string) => void;
}

/** From the start of the program to its first session, in a lane and in place. */
async function firstSession(folder: string, print: Print, { name, prepare, bare }: FirstSession): Promise<void> {
  const [task] = await addTasks(folder, 1);
  const times = { lane: [] as number[], place: [] as number[], git: [] as number[] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    prepare();
    const lane = await untilFirst(folder, ["--task", task!]);
    const place = await untilFirst(folder, ["--task", task!, "--in-place"]);
    const start = performance.now();
    bare(folder);
    const gits = performance.now() - start;
    if (round === 0) continue; // warms up
    times.lane.push(lane);
    times.place.push(place);
    times.git.push(gits);
  }
  const [lane, place, gits] = [median(times.lane), median(times.place), median(times.git)];
  const more = `${lane < place ? "" : "+"}${milliseconds(lane - place)} to in place`;
  print(
    row(name, milliseconds(lane), more, `git ${milliseconds(gits)}`, `${((lane - place) / gits).toFixed(1)} x git`),
  );
}

async function untilFirst(folder: string, more: readonly string[]): Promise<number> {
  const { events, startedAt } = await runOf(folder, ["--max-iterations", "1", ...more]);
  const first = events.find(({ type }) => type === "iteration.started");
  if (first === undefined) throw new Error(`no session began: ${events.map(({ line }) => line).join("\n")}`);
  return first.seenAt - startedAt;
}

export interface Seen {
  readonly type: string;
  readonly seenAt: number;
  readonly line: string;
}

export async function runOf(folder: string, more: readonly string[]): Promise<{ events: Seen[]; startedAt: number }> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [PROGRAM, "run", "build", "--json", ...more], {
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const events: Seen[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const { type } = JSON.parse(line) as { type: string };
    events.push({ type, seenAt: performance.now(), line });
  }
  return { events, startedAt };
}

/** L-21: ten files differ, and a few ignored ones have to go. */
async function roomReset(folder: string, print: Print): Promise<void> {
  const parent = join(dirname(folder), "reset");
  const home = await openRepository({ folder, env: process.env });
  try {
    const head = git(folder, "rev-parse", "HEAD");
    for (let n = 0; n < 10; n += 1) writeFileSync(join(folder, `d${n}`, `${n}.txt`), "other\n");
    const other = git(folder, "commit-tree", "-p", head, "-m", "Other", treeOfFiles(folder));
    git(folder, "checkout", "--quiet", "--", ".");
    git(folder, "clone", "--quiet", "--local", folder, join(dirname(folder), "plain"));
    git(join(dirname(folder), "plain"), "fetch", "--quiet", "origin", other);
    const place = await openPlace(home, { name: "room", parent, head, branch: "main" });
    const commits = [other, head].map((commit) => ({ commit, tree: git(folder, "rev-parse", `${commit}^{tree}`) }));
    let [ours, gits] = [0, 0];
    const sides = await byTurns(2 * ROUNDS, {
      ours: async () => {
        const { commit, tree } = commits[ours++ % 2]!;
        await resetPlace(place, { head: commit, tree, removesIgnored: { keep: [] } });
      },
      gits: () => git(join(dirname(folder), "plain"), "checkout", "--quiet", "--detach", commits[gits++ % 2]!.commit),
    });
    const ratio = `${(sides.ours.ms / sides.gits.ms).toFixed(1)} x git checkout`;
    print(row(`reset of the room, ten of ${MANY} files`, milliseconds(sides.ours.ms), ratio));
  } finally {
    await home.shells?.close();
  }
}

function treeOfFiles(folder: string): string {
  git(folder, "add", "--all");
  const tree = git(folder, "write-tree");
  git(folder, "reset", "--quiet");
  return tree;
}

/** L-23, L-24: from the claim until the commit is made, gates that take no time included. */
async function landing(folder: string, print: Print): Promise<void> {
  await addTasks(folder, LANDINGS);
  const { events } = await runOf(folder, ["--max-iterations", String(LANDINGS)]);
  const times: number[] = [];
  let claimedAt = 0;
  for (const { type, seenAt } of events) {
    if (type === "claim.made") claimedAt = seenAt;
    if (type === "commit.made") times.push(seenAt - claimedAt);
  }
  if (times.length < LANDINGS) throw new Error(`${times.length} of ${LANDINGS} tasks landed`);
  const bare = Array.from({ length: LANDINGS }, (_, n) => {
    const start = performance.now();
    writeFileSync(join(folder, "work.txt"), `${n} of git\n`);
    git(folder, "add", "--all");
    git(folder, "commit", "--quiet", "--no-verify", "--message", "Bare");
    return performance.now() - start;
  });
  const ratio = `${(median(times) / median(bare)).toFixed(1)} x git commit`;
  print(row(`landing, ${MANY} files, instant gates`, milliseconds(median(times)), ratio));
}
