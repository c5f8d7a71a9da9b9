import { claim, OPEN, type RealCase, work } from "./cases.ts";
import type { Cli } from "./cli.ts";
import type { Scripted } from "./model-server.ts";

// Accidents of a long night, for every CLI.

const THREE = ["First", "Second", "Third"];
const BEGUN = "I write it now.";

/** What a session that nothing was wrong with comes to. */
const nothing = (): Readonly<Record<string, unknown>> => ({});

/** It may end with an outage, or the CLI asks again by itself: neither is an attempt. */
const withoutOutages = (outcomes: readonly string[]): readonly string[] =>
  outcomes.filter((outcome) => outcome !== "outage");

/** Some tell the model of a tool that was killed with them, before they end: that is not the next session. */
function waitsOnce(cli: Cli): Scripted {
  const words = "I will wait.";
  let hasBegun = false;
  return ({ body }) => {
    if (body.includes(words)) return { hangs: true };
    if (hasBegun) return undefined;
    hasBegun = true;
    return { text: words, tools: [cli.runs("touch started.txt; sleep 300; echo late")] };
  };
}

export const BATTERY_CASES: readonly RealCase[] = [
  {
    name: "chain",
    proves: "P-01 P-13",
    about: "three tasks that need each other are done in their order, in a session and a commit each",
    play: (cli) => ({
      tasks: THREE,
      // By the task that it is asked about: some ask more often than they need.
      script: ({ ids, folder }) => [
        ({ body }) => {
          const title = /\*\*Title:\*\* (\w+)/.exec(body)?.[1] ?? "";
          if (body.includes(BEGUN)) return claim(ids[THREE.indexOf(title)] ?? "");
          const name = title === THREE[0] ? "done" : title;
          return { text: BEGUN, tools: [cli.writes(`${folder}/${name}.txt`, "yes")] };
        },
      ],
    }),
    more: nothing,
    expected: () => ({
      outcomes: THREE.map(() => "verified"),
      states: Object.fromEntries(THREE.map((title) => [title, "done"])),
      commits: THREE,
    }),
  },
  {
    name: "cut-stream",
    proves: "P-44",
    about: "an answer that breaks off in the middle is no attempt, and the work goes on",
    play: (cli) => ({
      script: (about) => [
        { text: "I begin with many words, of which only some arrive.", breaksOff: true },
        ...work(cli, about),
      ],
    }),
    outcomes: withoutOutages,
    more: nothing,
    expected: () => ({}),
  },
  {
    name: "cut-answer",
    proves: "P-20",
    about: "an answer that is longer than the model's limit is neither an outage nor a crash, and the work goes on",
    play: (cli) => ({
      script: (about) => [
        { text: "I begin.", tools: [cli.runs("echo begun > begun.txt")] },
        { text: "I go on, and on", isTooLong: true },
        ...work(cli, about),
      ],
    }),
    // Some go on by themselves.
    outcomes: (outcomes) => outcomes.filter((outcome) => outcome !== "unfinished"),
    more: nothing,
    expected: () => ({}),
  },
  {
    name: "daemon",
    proves: "P-40",
    about: "a server that a tool leaves behind neither holds the session up nor outlives it",
    play: (cli) => ({
      script: (about) => [
        { text: "I start it.", tools: [cli.runs("(setsid sleep 3000 >/dev/null 2>&1 &); echo started")] },
        ...work(cli, about),
      ],
    }),
    more: nothing,
    expected: () => ({}),
  },
  {
    name: "interrupt",
    proves: "P-40 X-130",
    about: "SIGINT in the middle of a shell tool ends the run and leaves no process",
    play: (cli) => ({
      script: () => [{ text: "I will wait.", tools: [cli.runs("touch started.txt; sleep 300; echo late")] }],
      stopsAt: "started.txt",
      signal: "SIGINT",
    }),
    more: nothing,
    expected: () => ({ code: 130, outcomes: ["stopped"], ...OPEN }),
  },
  {
    name: "kill",
    proves: "P-40 L-41",
    about: "after SIGKILL in the middle of a shell tool no process is left, and the next run does the work",
    play: (cli) => ({
      script: (about) => [waitsOnce(cli), ...work(cli, about)],
      stopsAt: "started.txt",
      signal: "SIGKILL",
    }),
    more: nothing,
    expected: () => ({}),
  },
];
