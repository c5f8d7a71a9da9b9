import { eventsOf } from "../run-seen.ts";
import { BUDGET_CASES } from "./budget-cases.ts";
import type { Cli } from "./cli.ts";
import type { Scripted } from "./model-server.ts";
import type { Play, Stage } from "./stage.ts";
import type { Step } from "./wire.ts";

/** What every case compares. */
export interface Seen {
  readonly code: number;
  readonly outcomes: readonly string[];
  /** Iterations that counted as attempts. */
  readonly counted: number;
  readonly states: Readonly<Record<string, string>>;
  readonly commits: readonly string[];
  readonly processes: readonly number[];
  /** Names that somebody wanted to reach beside the model. */
  readonly elsewhere: readonly string[];
  /** What this case alone is about. */
  readonly more: Readonly<Record<string, unknown>>;
}

export interface RealCase {
  readonly name: string;
  /** The CLIs that have what it is about; all of them if there are none. */
  readonly only?: readonly string[];
  readonly proves: string;
  /** What happens and what must come of it, in a sentence. */
  readonly about: string;
  readonly play: (cli: Cli) => Play;
  /** Those outcomes that must be as expected; default: all. */
  readonly outcomes?: (outcomes: readonly string[]) => readonly string[];
  readonly more: (stage: Stage, cli: Cli) => Readonly<Record<string, unknown>>;
  readonly expected: (cli: Cli) => Partial<Seen>;
}

interface About {
  readonly task: string;
  readonly folder: string;
}

export const claim = (task: string): Step => ({ text: `All finished.\n\n<task-done>${task}</task-done>` });

/** A session that does the work: a file by a tool for files, another by a shell, and the claim. */
export const work = (cli: Cli, { task, folder }: About): Step[] => [
  { text: "I will write it.", tools: [cli.writes(`${folder}/done.txt`, "yes")] },
  { text: "Now the copy.", tools: [cli.runs("cat done.txt > copy.txt && echo copied")] },
  claim(task),
];

/** A limit that begins with the first request. */
function limited({ limits, limitMs }: Cli): Scripted {
  let untilMs: number | undefined;
  return () => {
    // Told in whole seconds: it must not last longer than was said.
    untilMs ??= Math.ceil((Date.now() + limitMs) / 1000) * 1000;
    return Date.now() < untilMs ? { error: limits(untilMs) } : undefined;
  };
}

const DONE: Seen = {
  code: 0,
  outcomes: ["verified"],
  counted: 0,
  states: { "Do it": "done" },
  commits: ["Do it"],
  processes: [],
  elsewhere: [],
  more: {},
};

export const OPEN = { states: { "Do it": "pending" }, commits: [] };

const nothing = (): Readonly<Record<string, unknown>> => ({});

/** What is in the last commit, and what the tools came to. */
const worked = ({ place, run }: Stage) => ({
  files: Object.fromEntries(["done.txt", "copy.txt"].map((path) => [path, place.git("show", `HEAD:${path}`)])),
  tools: eventsOf(run, "agent.tool-result").map(({ ok }) => ok),
});

const WORKED = { files: { "done.txt": "yes", "copy.txt": "yes" }, tools: [true, true] };

const waits = ({ run }: Stage) => ({ waits: eventsOf(run, "run.waiting").map((event) => event.for) });

/** A command that is left in the background, as Claude Code's shell tool does it. */
const leaves = (command: string): Step => ({
  text: "I start it.",
  tools: [{ name: "Bash", input: { command, description: "Run it", run_in_background: true } }],
});

const TAIL = "The last words of a very long prompt.";

export const CASES: readonly RealCase[] = [
  {
    name: "honest",
    proves: "P-01 P-13",
    about: "the model writes a file, runs a command and claims: verified and committed",
    play: (cli) => ({ script: (about) => work(cli, about) }),
    more: worked,
    expected: () => ({ more: WORKED }),
  },
  {
    name: "lying",
    proves: "P-02",
    about: "a claim without work is rejected, and the next session is told why",
    play: (cli) => ({ script: (about) => [claim(about.task), ...work(cli, about)] }),
    more: ({ model }) => ({ isTold: model.asked[1]?.includes("gate test: exit code 1") }),
    expected: () => ({ outcomes: ["rejected", "verified"], counted: 1, more: { isTold: true } }),
  },
  {
    name: "login",
    proves: "P-44 X-77",
    about: "a refused login ends the run with 77 at once, and with what to do",
    play: (cli) => ({ script: () => [{ error: cli.refusesLogin }] }),
    more: ({ run }) => ({ help: run.finished?.help }),
    expected: ({ help }) => ({ code: 77, outcomes: ["login"], ...OPEN, more: { help: [help] } }),
  },
  {
    name: "limit",
    proves: "P-43",
    about: "a usage limit is waited for, and nothing is counted",
    play: (cli) => ({
      script: (about) => [limited(cli), ...work(cli, about)],
      env: cli.subscription,
    }),
    // One that is told by the minute may be over when it is told.
    more: (stage, { isVague }) => (isVague === true ? {} : waits(stage)),
    expected: ({ waitsItself, isVague }) =>
      waitsItself === true
        ? { more: { waits: [] } }
        : { outcomes: ["limited", "verified"], more: isVague === true ? {} : { waits: ["limit"] } },
  },
  {
    name: "long-limit",
    proves: "P-43 P-20",
    about: "a limit of two hours, which some CLIs sleep through, is no attempt, and the next harness goes on",
    play: (cli) => ({
      script: () => [{ error: cli.isLimited }],
      limits: "retryPatience: 5s",
      hasNext: true,
    }),
    more: nothing,
    expected: () => ({ outcomes: ["limited", "verified"] }),
  },
  {
    name: "silence",
    proves: "P-20",
    about: "a model that never answers is an outage and no attempt, and the next harness goes on",
    play: () => ({ script: () => [{ hangs: true }], limits: "inactivity: 45s", hasNext: true }),
    more: nothing,
    expected: () => ({ outcomes: ["outage", "verified"] }),
  },
  {
    name: "overflow",
    proves: "P-44",
    about: "a context that stays too long is tried once more, shorter, and then told, with few requests",
    play: (cli) => ({ script: () => [{ error: cli.isTooLong }], limits: "errors: 1" }),
    more: ({ model }) => ({ isBounded: model.asked.length <= 12 }),
    expected: () => ({ code: 1, outcomes: ["overflow", "crashed"], counted: 1, ...OPEN, more: { isBounded: true } }),
  },
  {
    name: "overload",
    proves: "P-44",
    about: "an overloaded server that recovers costs nothing but time",
    play: (cli) => ({ script: (about) => [{ error: cli.isOverloaded }, ...work(cli, about)] }),
    more: worked,
    expected: () => ({ more: WORKED }),
  },
  {
    name: "hang",
    proves: "P-41",
    about: "a CLI that does not exit after its result is ended, and its result counts",
    play: (cli) => ({ script: (about) => work(cli, about), under: '"$@"\nsleep 300', limits: "grace: 1s" }),
    // On a busy machine the CLI itself may still be about to exit: then it is swept, which is said besides.
    more: ({ run }) => ({ stopped: eventsOf(run, "session.stopped").flatMap(({ limit }) => limit ?? []) }),
    expected: () => ({ more: { stopped: ["limits.grace"] } }),
  },
  {
    name: "stop",
    proves: "P-40 X-130",
    about: "SIGTERM in the middle of a shell tool ends the run and leaves no process",
    play: (cli) => ({
      script: () => [{ text: "I will wait.", tools: [cli.runs("touch started.txt; sleep 300; echo late")] }],
      stopsAt: "started.txt",
    }),
    more: nothing,
    expected: () => ({ code: 130, outcomes: ["stopped"], ...OPEN }),
  },
  {
    name: "long-prompt",
    proves: "D-03",
    about: "a prompt of 900,000 characters arrives whole",
    play: (cli) => ({
      script: (about) => work(cli, about),
      files: { "PROMPT_build.md": `${"Do what the task says. ".repeat(39_130)}\n${TAIL}\n` },
    }),
    more: ({ model, run }) => ({
      isLong: run.prompt(1).length > 900_000,
      isWhole: model.asked[0]!.length > 900_000 && model.asked[0]!.includes(TAIL),
    }),
    expected: () => ({ more: { isLong: true, isWhole: true } }),
  },
  {
    name: "background",
    only: ["claude"],
    proves: "P-41",
    about: "a command in the background is waited for, silent as it is, and the session goes on when it ends",
    play: (cli) => ({
      script: (about) => [
        leaves("sleep 8; echo yes > done.txt"),
        { text: "I wait for it." },
        { text: "It is there.", tools: [cli.runs("cat done.txt > copy.txt")] },
        claim(about.task),
      ],
      limits: "grace: 1s",
    }),
    more: ({ run }) => ({ stopped: eventsOf(run, "session.stopped").flatMap(({ limit }) => limit ?? []) }),
    expected: () => ({ more: { stopped: [] } }),
  },
  {
    name: "server",
    only: ["claude"],
    proves: "P-41",
    about: "a server that is left in the background does not hold up a session that has claimed its task",
    play: (cli) => ({
      script: (about) => [leaves("while :; do sleep 1; done"), ...work(cli, about)],
      limits: "grace: 1s",
    }),
    more: ({ run }) => ({ stopped: eventsOf(run, "session.stopped").flatMap(({ limit }) => limit ?? []) }),
    expected: () => ({ more: { stopped: ["limits.grace"] } }),
  },
  {
    name: "endless",
    only: ["claude"],
    proves: "P-41",
    about: "a server that is left in the background ends with the time of its session, and what was said counts",
    play: (cli) => ({
      script: (about) => [
        leaves("while :; do sleep 1; done"),
        { text: "Now the file.", tools: [cli.writes(`${about.folder}/done.txt`, "yes")] },
        { text: "The server runs." },
        claim(about.task),
      ],
      limits: "attempt: 45s",
    }),
    more: ({ run }) => ({ stopped: eventsOf(run, "session.stopped").flatMap(({ limit }) => limit ?? []) }),
    expected: () => ({ outcomes: ["unfinished", "verified"], more: { stopped: ["limits.attempt"] } }),
  },
  ...BUDGET_CASES,
];

export const expectedOf = (one: RealCase, cli: Cli): Seen => ({ ...DONE, ...one.expected(cli) });

export async function seenOf(one: RealCase, cli: Cli, stage: Stage): Promise<Seen> {
  const { place, model, run, processes } = stage;
  const looked = one.outcomes?.(run.outcomes) ?? run.outcomes;
  const isThrough = run.outcomes.at(-1) === "verified" || one.expected(cli).commits !== undefined;
  return {
    code: run.code,
    outcomes: looked.filter(
      (outcome, at) => cli.isVague !== true || outcome === "verified" || outcome !== looked[at - 1],
    ),
    counted: eventsOf(run, "iteration.finished").filter(({ counted }) => counted).length,
    states: await place.states(),
    commits: place.commits(),
    processes,
    elsewhere: [...new Set(model.elsewhere)],
    // What is looked at is not there when a case went wrong before.
    more: isThrough ? one.more(stage, cli) : { stderr: run.stderr },
  };
}
