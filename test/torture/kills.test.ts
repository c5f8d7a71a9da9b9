import { beforeAll, expect, test } from "vitest";
import { killTemplate, type Template } from "../kill-template.ts";
import { type Link, STEPS } from "../killed-run.ts";
import { type Kill, playChain } from "./kill-chain.ts";

/** Eleven programs, one after the other. */
const LONGEST_MS = 240_000;

let template: Template;

beforeAll(async () => {
  template = await killTemplate("alpha", "beta", "gamma");
});

const ALPHA = ["Write alpha"];
const tasks = (alpha: string, beta: string): string[] => [
  `Write alpha: ${alpha}`,
  `Write beta: ${beta}`,
  "Write gamma: pending 0",
];

/** What a run leaves that is told to stop: what it could prove by then, and nothing that is half done. */
const inOrder = (step: string): Link => ({
  ended: 130,
  tasks: step === "settle" ? tasks("done 0", "pending 0") : step === "after" ? tasks("done 0", "done 0") : NOTHING_YET,
  commits: step === "settle" ? ALPHA : step === "after" ? [...ALPHA, "Agent's own", "Write beta"] : [],
  isFree: true,
  processes: [],
});
const NOTHING_YET = tasks("pending 0", "pending 0");

test.concurrent.each<Kill>([
  { signal: "SIGINT", whole: false },
  { signal: "SIGINT", whole: true },
  { signal: "SIGTERM", whole: false },
  { signal: "SIGTERM", whole: true },
])(
  "P-40 P-41 X-130 $signal (to the whole group: $whole) ends a run in any of the ten steps, and the next one goes on",
  async (kill) => {
    const links = Object.fromEntries(STEPS.map(([step]) => [step, inOrder(step)]));
    expect(await playChain(template, kill)).toEqual({ links, end: template.whole });
  },
  LONGEST_MS,
);

test.concurrent.each<Kill>([
  { signal: "SIGKILL", whole: false },
  { signal: "SIGKILL", whole: true },
])(
  "P-41 SIGKILL (to the whole group: $whole) in each of the ten steps is made good by the next run",
  async (kill) => {
    const { links, end } = await playChain(template, kill);
    expect(Object.entries(links).map(([step, { ended, tasks: left }]) => [step, ended, left[0]])).toEqual([
      ["decide", "SIGKILL", "Write alpha: pending 0"],
      ["claim", "SIGKILL", "Write alpha: pending 0"],
      ...["gather", "assemble", "snapshot", "run", "interpret", "verify", "settle"].map((step) => [
        step,
        "SIGKILL",
        "Write alpha: in_progress 0 held",
      ]),
      ["after", "SIGKILL", "Write alpha: done 0"],
    ]);
    expect(end).toEqual(template.whole);
  },
  LONGEST_MS,
);
