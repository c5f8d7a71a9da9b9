import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { setTimeout as pause } from "node:timers/promises";
import { DONE, script, sh } from "../hostile-run.ts";
import { endProcessesOf, processesOf, startUnder } from "../live-run.ts";
import { loopWorkspace, type LoopWorkspace } from "../loop-workspace.ts";
import { temporaryFolder, write } from "../temporary-folder.ts";
import { landedTwice, unproven } from "./landing-history.ts";
import { oneOf, randomBy } from "./persons-desk.ts";

const MINUTES = Number(process.env["RALPH_SOAK_MINUTES"] ?? 60);
const random = randomBy(Number(process.env["RALPH_SEED"] ?? 1));
const LANES = 8;

/** Most sessions are honest; some edit one file, some change nothing, and some are red. */
const SESSION = script([
  sh(
    [
      "n=$(( $(printf %s $RALPHCTL_TASK | tail -c 2 | od -An -tu1 | tr -d ' \\n' | tail -c 2) + 0 ))",
      "sleep 0.$(( n % 9 + 1 ))",
      "mkdir -p out && echo $RALPHCTL_TASK > out/$RALPHCTL_TASK.txt",
      "if [ $(( n % 5 )) -eq 0 ]; then grep -qx $RALPHCTL_TASK shared.txt || echo $RALPHCTL_TASK >> shared.txt; fi",
      "if [ $(( n % 7 )) -eq 0 ] && [ ! -e again.txt ]; then echo x > again.txt; touch red; else rm -f red again.txt; fi",
    ].join("; "),
  ),
  // An agent whose tool was killed does not claim.
  sh("test -e out/$RALPHCTL_TASK.txt || kill -9 $PPID"),
  DONE,
]);

const CONFIG = `
gates: [{ id: test, run: "sleep 0.1; test ! -e red" }]
lanes: { gates: 2 }
limits: { attempts: 1000, errors: 100000, noProgress: 1000, iterationsPerTask: 100000, iterations: 1000000 }
`;

/** Keeps eight lanes busy. */
async function addWork(place: LoopWorkspace, count: { added: number }): Promise<void> {
  const { tasks } = JSON.parse((await place.ralphctl("status", "--json")).stdout) as {
    readonly tasks: readonly { readonly ready: number }[];
  };
  const ready = tasks.reduce((sum, { ready: some }) => sum + some, 0);
  for (let left = 2 * LANES - ready; left > 0; left -= 1) {
    count.added += 1;
    await place.task("add", `Task ${count.added}`);
  }
}

/** Loaded into a run: writes down, now and then, how much it holds after a collection, and all that it has from the system. */
const SCALE = `
import { appendFileSync } from "node:fs";
const megabytes = (bytes) => Math.round(bytes / 2 ** 20);
const weigh = () => {
  globalThis.gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  appendFileSync(process.env.RALPH_SOAK_MEMORY, JSON.stringify([megabytes(heapUsed + external), megabytes(rss)]) + "\\n");
};
if (process.argv[2] === "run") setInterval(weigh, 10_000).unref();
`;

/** The words under which a run writes what it holds into a file, which `read` reads. */
function scale(): { readonly under: readonly string[]; readonly read: () => readonly (readonly [number, number])[] } {
  const folder = temporaryFolder();
  write(folder, { "scale.mjs": SCALE });
  const file = join(folder, "memory");
  return {
    under: ["env", `NODE_OPTIONS=--expose-gc --import=${join(folder, "scale.mjs")}`, `RALPH_SOAK_MEMORY=${file}`],
    read: () =>
      existsSync(file)
        ? readFileSync(file, "utf8")
            .split("\n")
            .filter(Boolean)
            .map((line) => JSON.parse(line) as [number, number])
        : [],
  };
}

/** Ends a process of an agent or a gate, never ralphctl itself or its git. */
function killSome(folder: string): void {
  const found = processesOf(folder).filter(hasTask);
  if (found.length === 0) return;
  try {
    process.kill(oneOf(random, found), "SIGKILL");
  } catch {
    // it has ended by itself
  }
}

function hasTask(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").includes("\0RALPHCTL_TASK=");
  } catch {
    return false; // it has ended by itself
  }
}

/** Tasks that are not done, with what was asked about them. */
async function notDone(place: LoopWorkspace): Promise<unknown[]> {
  const tasks = JSON.parse((await place.task("list", "--json")).stdout) as {
    readonly title: string;
    readonly status: string;
    readonly question: string | null;
    readonly reason: string | null;
  }[];
  const open = tasks.filter(({ status }) => status !== "done");
  return open.map(({ title, status, question, reason }) => ({ title, status, question, reason }));
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

test(
  `L-40 L-41 L-05 ${MINUTES} minutes of eight lanes in which agents, gates and ralphctl are killed: nothing is left, and memory stays flat`,
  { timeout: (MINUTES + 30) * 60_000 },
  async () => {
    const place = await loopWorkspace({
      tasks: [],
      files: { "shared.txt": "begin\n" },
      config: CONFIG,
      script: SESSION,
    });
    const count = { added: 0, runs: 0, kills: 0 };
    const begunAt = performance.now();
    const minutes = (): number => (performance.now() - begunAt) / 60_000;
    let held = scale();
    await addWork(place, count);
    while (minutes() < MINUTES) {
      // In the first half ralphctl itself is killed, too; in the second half one run goes on.
      const lastsUntil = minutes() < MINUTES / 2 ? minutes() + 0.2 + random() * 1.3 : MINUTES;
      held = scale();
      const run = startUnder(held.under, place.folder, "--lanes", String(LANES));
      count.runs += 1;
      const ended = run.ended.then(({ code }) => code);
      let code: number | undefined;
      while (minutes() < lastsUntil && code === undefined) {
        code = await Promise.race([ended, pause(500 + random() * 2500, undefined)]);
        killSome(place.folder);
        count.kills += 1;
        await addWork(place, count);
      }
      run.signal(oneOf(random, ["SIGKILL", "SIGKILL", "SIGTERM", "SIGINT"] as const));
      code ??= await ended;
      if (![-1, 0, 130].includes(code)) throw new Error(`It ended with ${code}: ${run.told()}`);
      await expect.poll(() => processesOf(place.folder), { timeout: 60_000, interval: 200 }).toEqual([]);
    }
    const last = await place.run("--lanes", String(LANES));
    await endProcessesOf(place.folder);
    const open = await notDone(place);
    const memory = held.read();
    const third = Math.floor(memory.length / 3);
    // The list of tasks is in the store, not in the run: what a run holds does not grow with it.
    const inThird = (at: number, which: 0 | 1): number =>
      median(memory.slice(at * third, (at + 1) * third).map((megabytes) => megabytes[which]));
    const [held1, held2, held3] = [inThird(0, 0), inThird(1, 0), inThird(2, 0)];
    const rss = [inThird(0, 1), inThird(1, 1), inThird(2, 1)];
    process.stdout.write(`${JSON.stringify({ ...count, held: [held1, held2, held3], rss, open }, undefined, 2)}\n`);
    const lost = place.git("for-each-ref", "--format=%(refname)").split("\n");
    expect({
      code: last.code,
      open,
      unproven: await unproven(place.folder, { isGreen: () => false }),
      twice: landedTwice(place.folder),
      refs: lost.filter(
        (ref) => !/^refs\/(heads\/main|ralph\/(followed|target)\/main|ralph\/(r-|lost\/|saved\/))/.test(ref),
      ),
      locks: readdirSync(join(place.folder, ".git")).filter((name) => name.endsWith(".lock")),
      status: place.git("status", "--porcelain"),
      isFlat: held3 < 1.25 * held2,
    }).toEqual({ code: 0, open: [], unproven: [], twice: [], refs: [], locks: [], status: "", isFlat: true });
  },
);
