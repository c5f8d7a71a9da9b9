import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { setTimeout as pause } from "node:timers/promises";
import { DONE, script, sh } from "../hostile-run.ts";
import { endProcessesOf, processesOf, startLive } from "../live-run.ts";
import { loopWorkspace, type LoopWorkspace } from "../loop-workspace.ts";
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

const megabytesOf = (pid: number): number | undefined => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  } catch {
    return undefined;
  }
};

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
    const memory: number[] = [];
    await addWork(place, count);
    while (minutes() < MINUTES) {
      // In the first half ralphctl itself is killed, too; in the second half one run goes on.
      const lastsUntil = minutes() < MINUTES / 2 ? minutes() + 0.2 + random() * 1.3 : MINUTES;
      const run = startLive(place.folder, "--lanes", String(LANES));
      count.runs += 1;
      const ended = run.ended.then(({ code }) => code);
      let code: number | undefined;
      while (minutes() < lastsUntil && code === undefined) {
        code = await Promise.race([ended, pause(500 + random() * 2500, undefined)]);
        killSome(place.folder);
        count.kills += 1;
        await addWork(place, count);
        const megabytes = megabytesOf(run.pid);
        if (lastsUntil === MINUTES && megabytes !== undefined) memory.push(megabytes);
      }
      run.signal(oneOf(random, ["SIGKILL", "SIGKILL", "SIGTERM", "SIGINT"] as const));
      code ??= await ended;
      if (![-1, 0, 130].includes(code)) throw new Error(`It ended with ${code}: ${run.told()}`);
      await expect.poll(() => processesOf(place.folder), { timeout: 60_000, interval: 200 }).toEqual([]);
    }
    const last = await place.run("--lanes", String(LANES));
    await endProcessesOf(place.folder);
    const states = Object.values(await place.states());
    const third = Math.floor(memory.length / 3);
    const [early, late] = [median(memory.slice(third, 2 * third)), median(memory.slice(2 * third))];
    process.stdout.write(
      `${JSON.stringify({ ...count, done: states.length, early, late, most: Math.max(...memory) })}\n`,
    );
    const lost = place.git("for-each-ref", "--format=%(refname)").split("\n");
    expect({
      code: last.code,
      open: states.filter((state) => state !== "done"),
      unproven: await unproven(place.folder, { isGreen: () => false }),
      twice: landedTwice(place.folder),
      refs: lost.filter(
        (ref) => !/^refs\/(heads\/main|ralph\/(followed|target)\/main|ralph\/(r-|lost\/|saved\/))/.test(ref),
      ),
      locks: readdirSync(join(place.folder, ".git")).filter((name) => name.endsWith(".lock")),
      status: place.git("status", "--porcelain"),
      isFlat: late < 1.25 * early,
    }).toEqual({ code: 0, open: [], unproven: [], twice: [], refs: [], locks: [], status: "", isFlat: true });
  },
);
