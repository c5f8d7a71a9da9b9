import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { vi } from "vitest";
import { type CrashStep, ITERATION_STEPS } from "../crash-steps.ts";
import {
  copyOf,
  heldTemplate,
  killTemplate,
  laneTemplate,
  type Seen,
  type Template,
  wholeWork,
} from "../kill-template.ts";
import { type Death, leftBy, type Link, pointsOf, runAgain, runAndDie, wrongAfter } from "../killed-run.ts";
import { processesOf } from "../live-run.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import type { Seen as CaseSeen, TortureCase } from "./case.ts";

/** Whether a signal is for the whole process group, as that of a terminal is. */
type Kill = Required<Pick<Death, "signal" | "whole">>;

const NAMES = ["alpha", "beta", "gamma", "delta", "epsilon"] as const;
const WHOLE = wholeWork(...NAMES);

/** What a killed run leaves is ended without the next one; seconds are enough where the machine has no other work. */
const GUARDED = { timeout: 30_000, interval: 50 };

/** `claim` of "claim: task claimed". */
const phaseOf = (step: string): string => step.split(":")[0]!;

/** One workspace and a run for each of the ten steps, each cut off in its step; then one that is left alone. */
async function playChain(kill: Kill): Promise<CaseSeen> {
  // Not in the folder, which is copied.
  const hold = join(temporaryFolder(), "hold");
  const template = await heldTemplate(hold, ...NAMES);
  const folder = copyOf(template);
  const links: Record<string, Link> = {};
  const isInOrder = kill.signal !== "SIGKILL";
  for (const step of ITERATION_STEPS) {
    // A session that ends as the signal comes makes a claim, which is proven.
    if (phaseOf(step) === "run") writeFileSync(hold, "");
    const ended = await runAndDie(folder, { ...kill, step });
    rmSync(hold, { force: true });
    if (!isInOrder) await vi.waitUntil(() => processesOf(folder).length === 0, GUARDED);
    links[phaseOf(step)] = await leftBy(template, folder, ended);
  }
  const end = await runAgain(template, folder);
  // A git that outlives us may still make its commit.
  const toldOf = ({ tasks: open, commits }: Link): string => [...open, ...(isInOrder ? commits : [])].join(", ");
  const left = Object.entries(links).map(([step, link]) => `${step}: ${toldOf(link)}`);
  return {
    ...caseSeen(end),
    codes: [...Object.values(links).map(({ ended }) => (typeof ended === "number" ? ended : -1)), end.code],
    processes: [...Object.values(links).flatMap(({ processes }) => processes), ...end.processes],
    more: { left, isFree: Object.values(links).every(({ isFree }) => isFree), ...rest(end) },
  };
}

const caseSeen = ({ code, states, commits, processes }: Seen): CaseSeen => ({
  codes: [code],
  outcomes: [],
  states,
  commits,
  told: [],
  processes,
});

const rest = ({ files, differences, refs, locks, problems }: Seen) => ({ files, differences, refs, locks, problems });

const tasks = (...states: readonly string[]): string =>
  NAMES.map((name, at) => `Write ${name}: ${states[at] ?? "pending 0"}`).join(", ");

const NOT_YET = tasks();
const HELD = tasks("in_progress 0 held");
const BOTH = tasks("done 0", "done 0");

/** L-40: a claim that is made when a run is told to stop is proven and lands; all other tasks are given back. */
const FINISHED = ["interpret", "verify", "commit", "after"];
const DONE = ["done 0", "done 0", "done 1", "done 0"];

function afterStop(phase: string): string {
  const done = FINISHED.indexOf(phase) + 1;
  return [tasks(...DONE.slice(0, done)), ...WHOLE.commits.slice(0, done)].join(", ");
}

/** A run that is killed can give nothing back. */
const AFTER_KILL = (phase: string): string =>
  phase === "decide" || phase === "claim" ? NOT_YET : phase === "after" ? BOTH : HELD;

function chainCase(kill: Kill): TortureCase {
  const { signal, whole } = kill;
  const isInOrder = signal !== "SIGKILL";
  const whom = whole ? (isInOrder ? " and its process group" : " and all that it started") : "";
  return {
    name: `${signal.toLowerCase()}${whole ? "-group" : ""}-in-each-step`,
    proves: isInOrder ? "L-40 P-40 P-41 X-130" : "L-40 P-41",
    about: `${signal} to ralphctl${whom} in each of the ten steps of an iteration, once per run.`,
    required: isInOrder
      ? "Each run ends cleanly and leaves no process and no claim. A proof that is under way is finished. The next one continues."
      : "The next run continues: nothing is lost, nothing is done twice, and no process is left.",
    play: async () => await playChain(kill),
    expected: {
      ...caseSeen(WHOLE),
      codes: [...ITERATION_STEPS.map(() => (isInOrder ? 130 : -1)), 0],
      more: {
        left: ITERATION_STEPS.map(phaseOf).map((phase) => `${phase}: ${(isInOrder ? afterStop : AFTER_KILL)(phase)}`),
        isFree: isInOrder,
        ...rest(WHOLE),
      },
    },
  };
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGKILL"] as const;
const COUNT = Number(process.env["RALPH_KILLS"] ?? 200);

/** Where a run is at that moment is another place each time: that is what they are for. A report says where it was. */
async function playRandom(template: Template): Promise<CaseSeen> {
  const wholeMs = await lengthOf(template);
  const deaths = Array.from({ length: COUNT }, (_, index) => ({
    signal: SIGNALS[index % 3]!,
    whole: index % 2 === 0,
    afterMs: Math.round(Math.random() * wholeMs),
  }));
  const half = COUNT / 2;
  const walks = [wrongAfter(template, deaths.slice(0, half)), wrongAfter(template, deaths.slice(half))];
  return { ...NOTHING, more: { wrong: (await Promise.all(walks)).flat() } };
}

/** The slow case has all the others. */
const LANDING: readonly CrashStep[] = [
  "settle: verdict to be recorded",
  "commit: ref to be moved",
  "commit: ref moved",
  "settle: claim to be closed",
  "follow: branch to be moved",
  "follow: branch moved",
];

/** A run of four lanes that dies in each step of a landing, while the other three work, and the run after it. */
async function playLandings(): Promise<CaseSeen> {
  const template = await laneTemplate(4, ...NAMES.toSorted());
  const walk = async (steps: readonly CrashStep[]): Promise<unknown[]> => {
    const wrong: unknown[] = [];
    for (const [at, step] of steps.entries()) {
      const folder = copyOf(template);
      const ended = await runAndDie(folder, { step, whole: at % 2 === 0 });
      const again = await runAgain(template, folder);
      if (ended !== "SIGKILL" || !isDeepStrictEqual(again, template.whole)) wrong.push({ step, ended, again });
    }
    return wrong;
  };
  const half = LANDING.length / 2;
  const wrong = await Promise.all([walk(LANDING.slice(0, half)), walk(LANDING.slice(half))]);
  return { ...NOTHING, more: { wrong: wrong.flat() } };
}

// For a look at some of them: every n-th.
const STRIDE = Number(process.env["RALPH_STRIDE"] ?? 1);

/** The same at every write of the run, by number: where that is, is up to the lanes. */
async function playWrites(): Promise<CaseSeen> {
  const template = await laneTemplate(4, ...NAMES.toSorted());
  const { length } = await pointsOf(template);
  const deaths = Array.from({ length: Math.floor(length / STRIDE) }, (_, at) => ({
    at: 1 + at * STRIDE,
    whole: at % 2 === 0,
  }));
  const half = Math.floor(deaths.length / 2);
  const walks = [wrongAfter(template, deaths.slice(0, half)), wrongAfter(template, deaths.slice(half))];
  return { ...NOTHING, more: { wrong: (await Promise.all(walks)).flat() } };
}

/** How long a run takes here that nobody cuts off. */
async function lengthOf(template: Template): Promise<number> {
  const start = performance.now();
  await runAndDie(copyOf(template), {});
  return performance.now() - start;
}

const NOTHING = { codes: [], outcomes: [], states: {}, commits: [], told: [], processes: [] };

/** Signals to ralphctl itself. */
export const killCases: readonly TortureCase[] = [
  ...SIGNALS.flatMap((signal) => [false, true].map((whole) => chainCase({ signal, whole }))),
  {
    name: "signals-at-random",
    proves: "P-40 P-41",
    about: `SIGINT, SIGTERM and SIGKILL to ralphctl, alone and with its process group, at ${COUNT} random moments.`,
    required: "Runs that can end cleanly do so, and the next run always reaches the same result.",
    slow: `${2 * COUNT} runs take a quarter of an hour, longer on a busy machine`,
    play: async () => await playRandom(await killTemplate("alpha", "beta", "gamma")),
    expected: { ...NOTHING, more: { wrong: [] } },
  },
  {
    name: "sigkill-at-each-step-of-a-landing-in-lanes",
    proves: "L-22 L-23 L-41",
    about: "SIGKILL to ralphctl, alone and with all that it started, in each step of a landing while four agents work.",
    required: "The next run finishes the landing: each task lands once and is settled once, and no process is left.",
    play: playLandings,
    expected: { ...NOTHING, more: { wrong: [] } },
  },
  {
    name: "sigkill-at-each-write-in-lanes",
    proves: "L-22 L-23 L-41",
    about: "The same at each write of the run.",
    required: "The next run finishes what was begun: each task lands once and is settled once, and no process is left.",
    slow: "more than a thousand runs take two hours; RALPH_STRIDE=20 takes every 20th",
    play: playWrites,
    expected: { ...NOTHING, more: { wrong: [] } },
  },
  {
    name: "signals-at-random-in-lanes",
    proves: "L-22 L-23 L-40 L-41",
    about: `The same at ${COUNT} random moments of a run in which eight agents may work at once.`,
    required: "No process, lock or lease is left; the next run lands each task once, and keeps what was not proven.",
    slow: `${2 * COUNT} runs take a quarter of an hour, longer on a busy machine`,
    play: async () => await playRandom(await laneTemplate(8, ...NAMES.toSorted())),
    expected: { ...NOTHING, more: { wrong: [] } },
  },
];
