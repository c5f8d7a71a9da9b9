import { readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { atEnd } from "../at-end.ts";
import { fleetPlay, type FleetPlay, type Machine, type Running } from "../fleet-play.ts";
import { onDatabase, type PostgresServer, startPostgres } from "../postgres-server.ts";
import { serveByDaemon } from "../git-remote.ts";
import { git } from "../temporary-folder.ts";
import { freezeTree, processesWith, processTree, sendSignal } from "../process-tree.ts";
import { oneOf, randomBy } from "./persons-desk.ts";

// Many machines on one, and what happens to machines: they die, sleep, lose their database, and die while they land.

interface FleetTorture {
  readonly workers: number;
  readonly lanes: number;
  readonly tasks: number;
  readonly seed: number;
  /** How often each happens. */
  readonly accidents: Readonly<Record<Accident, number>>;
}

type Accident = "kill" | "freeze" | "crash" | "lander";

const LEASE_S = 10;

/** Writes down what its task needs. Some work on one file, and get into each other's way. */
const AGENT = `n=$(( $(od -An -N1 -tu1 /dev/urandom) ))
sleep 0.$(( n % 9 ))
mkdir -p done && cp "$MEET/needs-$RALPHCTL_TASK" "done/$RALPHCTL_TASK"
if [ $(( n % 16 )) -eq 0 ]; then echo "$RALPHCTL_TASK" >> shared.txt; fi`;

/** Green only if all that is done has what it needs. */
const GATE = 'cat done/* 2> /dev/null | while read -r need; do test -e "done/$need" || exit 1; done';

const CONFIG =
  "limits: { attempts: 1000, errors: 100000, noProgress: 1000, iterationsPerTask: 100000, iterations: 1000000 }";

interface TortureReport {
  /** What the follower ended with. */
  readonly code: number;
  readonly open: Readonly<Record<string, string>>;
  readonly landed: number;
  readonly faults: readonly string[];
  readonly red: readonly string[];
  readonly refs: readonly string[];
  readonly processes: readonly string[];
  readonly problems: readonly unknown[];
}

interface Worker {
  readonly machine: Machine;
  readonly isApart: boolean;
  running: Running;
}

interface Torture extends FleetTorture {
  readonly play: FleetPlay;
  readonly server: PostgresServer;
  readonly random: () => number;
  readonly members: Worker[];
  readonly tell: (text: string) => void;
}

export async function playFleetTorture(asked: FleetTorture, tell: Torture["tell"]): Promise<TortureReport> {
  const server = await startPostgres();
  atEnd(server.stop);
  const play = await fleetPlay({
    agent: AGENT,
    gate: GATE,
    config: CONFIG,
    files: { "shared.txt": "begin\n" },
    lease: `${LEASE_S}s`,
    url: server.url,
    // A server outlives the machines that push to it, and what they have begun there.
    remote: async (bare) => (await serveByDaemon(bare)).url,
  });
  const random = randomBy(asked.seed);
  await addWork(play, asked.tasks, random);
  const follower = play.machine();
  const run = follower.start("run", "--fleet");
  const members = Array.from({ length: asked.workers }, (_, at) => startWorker(play, asked, at % 2 === 1));
  const torture = { ...asked, play, server, random, members, tell };
  const haveHappened = hurt(torture, run);
  const { code } = await run.ended;
  tell(`the run ended with ${code}`);
  await haveHappened;
  await Promise.all(members.map(end));
  const machines = [follower, ...members.map(({ machine }) => machine)];
  const states = await play.states();
  return {
    code,
    open: Object.fromEntries(Object.entries(states).filter(([, status]) => status !== "done")),
    landed: play.subjects().length,
    faults: await play.faults(),
    red: redTrees(play.bare),
    refs: [...refsOf(play.bare, REMOTE), ...machines.flatMap(({ folder }) => refsOf(folder, CLONE))],
    processes: processesBelow(machines.map(({ place }) => place)),
    problems: await play.shared.store.check(),
  };
}

async function addWork(play: FleetPlay, tasks: number, random: () => number): Promise<void> {
  const needs = Array.from({ length: tasks }, (_, at) => {
    const count = at === 0 ? 0 : Math.floor(random() * 3);
    return [...new Set(Array.from({ length: count }, () => Math.floor(random() * at)))];
  });
  const ids = await play.addTasks(needs.map((some, at) => [`Task ${at}`, ...some]));
  ids.forEach((id, at) => {
    const lines = needs[at]!.map((need) => `${ids[need]}\n`).join("");
    writeFileSync(join(play.meeting, `needs-${id}`), lines);
  });
}

function startWorker(play: FleetPlay, { lanes }: FleetTorture, isApart: boolean): Worker {
  const machine = play.machine({ isApart: isApart && process.getuid?.() === 0 });
  return {
    machine,
    isApart: isApart && process.getuid?.() === 0,
    running: machine.start("worker", "--once", "--lanes", String(lanes)),
  };
}

/** One that came back after the run waits for another. */
async function end({ running, isApart }: Worker): Promise<void> {
  const isOver = Promise.race([running.ended.then(() => true), pause(5000, false)]);
  if (!(await isOver)) sendSignal((isApart ? processTree(running.pid)[1] : undefined) ?? running.pid, "SIGTERM");
  await running.ended;
}

/** The accidents, spread over the work, in an order of their own. */
async function hurt(torture: Torture, run: Running): Promise<void> {
  const { accidents, random, tasks, tell, play } = torture;
  const left = Object.entries(accidents).flatMap(([kind, times]) =>
    Array.from({ length: times }, () => kind as Accident),
  );
  const all = left.length;
  while (left.length > 0 && run.child.exitCode === null) {
    const at = Math.floor(((all - left.length + 0.5) / all) * 0.9 * tasks);
    // However long that takes: with many tasks it is much longer than a test otherwise waits for something.
    while (landed(play) < at && run.child.exitCode === null) await pause(500);
    const [kind] = left.splice(Math.floor(random() * left.length), 1);
    tell(`${landed(play)} landed: ${kind}`);
    await ACCIDENTS[kind!](torture);
  }
}

const landed = ({ bare }: FleetPlay): number => Number(git(bare, "rev-list", "--count", "main").trim()) - 1;

const ACCIDENTS: Readonly<Record<Accident, (torture: Torture) => Promise<void>>> = {
  /** One of two comes back. */
  kill: async (torture) => {
    const worker = oneOf(torture.random, torture.members);
    await kill(worker);
    await pause(torture.random() * 2000);
    again(torture, worker);
  },
  /** Past its lease, as a machine that sleeps. */
  freeze: async ({ random, members }) => {
    const worker = oneOf(random, members);
    const wake = freezeTree(worker.running.pid);
    await pause(LEASE_S * 1500);
    wake();
  },
  crash: async ({ server }) => await server.crash(),
  lander: async (torture) => {
    const wantsIntent = torture.random() < 0.7;
    const worker = await landingWorker(torture, wantsIntent);
    if (worker === undefined) return;
    await kill(worker);
    torture.tell(
      `machine ${torture.members.indexOf(worker)} was killed ${wantsIntent ? "with an intent" : "as the lander"}`,
    );
    again(torture, worker);
  },
};

async function kill({ running }: Worker): Promise<void> {
  running.kill("SIGKILL");
  await running.ended;
}

function again({ lanes }: Torture, worker: Worker): void {
  worker.running = worker.machine.start("worker", "--once", "--lanes", String(lanes));
}

/** Whoever is about to move the branch at this moment. */
async function landingWorker({ play, members }: Torture, wantsIntent: boolean): Promise<Worker | undefined> {
  const sql = `SELECT lease_pid, lease_start FROM ralphctl.lander AS l WHERE lease_host IS NOT NULL
    ${wantsIntent ? "AND EXISTS (SELECT FROM ralphctl.intent AS i WHERE i.state = 'open' AND i.epoch = l.epoch)" : ""}`;
  for (const end = performance.now() + 60_000; performance.now() < end;) {
    const [row] = await onDatabase(play.url, sql);
    const found = row && members.find((worker) => isOf(worker, Number(row["lease_pid"]), String(row["lease_start"])));
    if (found !== undefined) return found;
    await pause(2);
  }
  return undefined;
}

function isOf({ running, isApart }: Worker, pid: number, start: string): boolean {
  if (!isApart) return running.pid === pid;
  const [, inner] = processTree(running.pid);
  try {
    return start.endsWith(readlinkSync(`/proc/${inner}/ns/pid`));
  } catch {
    return false; // it has ended
  }
}

/** What still runs with the home of a machine. */
const processesBelow = (places: readonly string[]): string[] =>
  places.flatMap((place) => processesWith(`HOME=${place}/`).map(({ words }) => words));

const REMOTE = /^refs\/(heads\/main|ralph\/lander\/main)$/;
const CLONE =
  /^refs\/(heads\/main|remotes\/origin\/(HEAD|main)|ralph\/((followed|target|remote)\/main|r-|lost\/|saved\/))/;

const refsOf = (folder: string, expected: RegExp): string[] =>
  git(folder, "for-each-ref", "--format=%(refname)")
    .split("\n")
    .filter((ref) => ref !== "" && !expected.test(ref));

/** The commits of the branch in which something lacks what it needs. */
function redTrees(bare: string): string[] {
  const commits = git(bare, "rev-list", "--first-parent", "--reverse", "main").split("\n").filter(Boolean);
  const needs = new Map<string, readonly string[]>();
  return commits.filter((commit) => {
    const there = git(bare, "ls-tree", "-r", "--name-only", commit, "done/").split("\n").filter(Boolean);
    const names = new Set(there.map((path) => path.slice("done/".length)));
    return [...names].some((name) => {
      if (!needs.has(name)) needs.set(name, git(bare, "cat-file", "blob", `${commit}:done/${name}`).split("\n"));
      return needs.get(name)!.some((need) => need !== "" && !names.has(need));
    });
  });
}

export const allIsWell = ({ tasks }: Pick<FleetTorture, "tasks">): TortureReport => ({
  code: 0,
  open: {},
  landed: tasks,
  faults: [],
  red: [],
  refs: [],
  processes: [],
  problems: [],
});
