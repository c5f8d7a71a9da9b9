import type {
  HookFinished,
  IterationFinished,
  IterationStarted,
  RunEvent,
  RunFinished,
  RunStarted,
} from "../src/domain/run/event.ts";

// Events as a run would send them, to be changed where a test is about something.

export const login = { id: "t-1a2b3c4d", title: "Add login" };
export const mail = { id: "t-5e6f7a8b", title: "Send mail" };

export const runStarted: RunStarted = {
  type: "run.started",
  run: "r-20261116-014755-3f2a",
  scope: "workspace",
  mode: "build",
  harness: "claude",
  version: "0.1.0",
  pid: 4711,
  folder: "/srv/shop",
  branch: "main",
  head: "0123456789abcdef0123456789abcdef01234567",
  lane: { number: 1, folder: "/home/me/.local/state/ralphctl/lanes/shop-1a2b3c4d/1" },
  limits: { iterations: 32, timeMs: 28_800_000, costUsd: 20 },
  gates: [
    { gate: "lint", kind: "workspace", command: "npm run lint" },
    { gate: "test", kind: "workspace", command: "npm test" },
  ],
  tasks: 4,
};

export const iterationStarted: IterationStarted = {
  type: "iteration.started",
  iteration: 3,
  of: 32,
  mode: "build",
  task: login,
  attempts: 1,
  attemptLimit: 3,
  harness: "claude",
  model: "opus",
  override: "hint",
  lane: 1,
  folder: ".ralph/runs/r-20261116-014755-3f2a/3",
};

export const iterationFinished: IterationFinished = {
  type: "iteration.finished",
  iteration: 3,
  task: login,
  outcome: "verified",
  status: "done",
  counted: false,
  strength: "proven",
  session: "done",
  commit: "89abcdef0123456789abcdef0123456789abcdef",
  durationMs: 130_000,
  costUsd: 0.42,
  tokens: 12_345,
  isEstimated: false,
};

export const runFinished: RunFinished = {
  type: "run.finished",
  ending: "complete",
  mode: "build",
  reason: "Every task is settled",
  left: { ready: 0, blocked: 0, waiting: 0, failed: 0, settled: 4 },
  waiting: [],
  failed: [],
  blocked: [],
  iterations: 7,
  verified: 4,
  unverified: 0,
  dropped: 0,
  droppedTasks: [],
  commits: 4,
  costUsd: 3.2,
  tokens: 1_234_567,
  durationMs: 2_530_000,
};

/** A run with one iteration, ended as given. */
export const shortRun = (finished: RunFinished = runFinished): readonly RunEvent[] => [
  runStarted,
  { ...iterationStarted, iteration: 1 },
  { ...iterationFinished, iteration: 1 },
  finished,
];

export const hookFinished: HookFinished = {
  type: "hook.finished",
  iteration: 3,
  hook: "push",
  point: "iteration-end",
  passed: true,
  durationMs: 840,
  output: "",
  folder: ".ralph/runs/r-20261116-014755-3f2a/3/hooks/push",
};
