import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { RunEvent } from "../src/domain/run/event.ts";
import type { NewTask } from "../src/domain/task-input.ts";
import type { Task } from "../src/domain/task.ts";
import { settings } from "../src/harness/harness.contract.ts";
import { scripted } from "../src/harness/scripted.ts";
import type { Lane, RoomFiles } from "../src/lane/lane.ts";
import type { Agent, RunDeps } from "../src/loop/run-deps.ts";
import type { RunRules } from "../src/loop/run-rules.ts";
import { startLane, startRun } from "../src/loop/open-lane.ts";
import type { LaneState } from "../src/loop/run-state.ts";
import { createMemoryStore } from "./memory-store/memory-store.ts";
import type { Repository } from "../src/system/git/repository.ts";
import { snapshot } from "../src/system/git/snapshot.ts";
import { findDifference } from "../src/lane/room-advice.ts";
import { PROGRAM } from "./built-program.ts";
import { writeAgent } from "./shell-agent.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A run under way in a repository, with a store in memory, and all that it said. */
export interface TestRun {
  readonly lane: LaneState;
  readonly events: readonly RunEvent[];
  /** Stops it, as a person would. */
  readonly stop: () => void;
}

/** An agent that plays a script. */
export function scriptedAgent(script: string): Agent {
  return {
    name: "scripted",
    harness: scripted,
    settings: { ...settings, ...writeAgent(temporaryFolder(), script) },
    roles: { model: null, smart: null, fast: null },
    models: [],
  };
}

/** A run that starts from what is in the repository now: without gates, plans and limits, unless they are given. */
export async function startTestRun(
  repository: Repository,
  own: Partial<Omit<RunDeps, "rules">> & { readonly rules?: Partial<RunRules> } = {},
): Promise<TestRun> {
  const events: RunEvent[] = [];
  const stop = new AbortController();
  const deps: RunDeps = {
    ...defaultDeps(repository),
    emit: (event) => events.push(event),
    stop: stop.signal,
    ...own,
    rules: { ...RULES, ...own.rules },
  };
  const now = await snapshot(repository);
  const head = now.head!;
  const place: Lane = {
    number: 1,
    folder: repository.folder,
    root: repository.folder,
    repository,
    env: {},
    release: () => Promise.resolve(),
    begin: async () => await snapshot(repository),
    collect: async (look) => await snapshot(repository, undefined, look),
  };
  const assignment = {
    mode: "build",
    only: undefined,
    size: 1,
    buildsAfterPlan: false,
    head,
    notices: [],
    info: [],
    notIncluded: [],
  } as const;
  const lane = startLane(startRun(deps, assignment), place);
  lane.room = deps.room;
  lane.base = { ...now, changed: [] };
  lane.last = now;
  return { lane, events, stop: () => stop.abort() };
}

/** Adds a task to the store of a run. */
export async function addTask({ deps }: LaneState, about: Partial<NewTask> = {}): Promise<Task> {
  const [id] = await deps.store.add([{ scope: deps.scope, title: "Do it", ...about }]);
  return (await deps.store.get(id!))!;
}

/** The files of a room in which no gate changes any. */
export const untouchedFiles: RoomFiles = { changes: async () => [], treeWith: async () => "" };

function defaultDeps(repository: Repository): Omit<RunDeps, "rules" | "emit" | "stop"> {
  // Of its own for each run: by its name the processes are found.
  const run = `r-${randomUUID()}`;
  return {
    runId: run,
    scope: "workspace",
    root: repository.folder,
    folder: join(temporaryFolder(), run),
    store: createMemoryStore({ clock: Date.now, newId: () => `t-${randomUUID().slice(0, 8)}`, isAlive: () => true }),
    storeFile: {
      snapshot: async () => ({ at: 0 }),
      revertTampering: async () => [],
      check: async () => [],
      guard: async () => ({ kind: "intact" }),
      backupTo: async () => undefined,
    },
    home: repository,
    target: { ref: "refs/ralph/target/main", branch: "main" },
    room: {
      enter: async () => ({ root: repository.folder, env: {}, setup: undefined, prepared: "", files: untouchedFiles }),
    },
    explainRoom: async (failed) => {
      const settings = { setup: null, keep: [] };
      return await findDifference({ home: repository, root: repository.folder, env: {}, settings, ...failed });
    },
    openTrialRoom: async () => {
      throw new Error("no room to try");
    },
    owner: { host: "test", pid: process.pid, startTime: "0" },
    agents: [scriptedAgent("- - say: Nothing.")],
    reviewer: undefined,
    gates: {
      gates: [],
      pinned: [],
      discover: undefined,
      discoverAt: async () => [],
      ofTask: () => [],
      agents: [],
      gateOf: ({ id, run: command }) => ({ id, kind: "workspace", run: command, timeoutMs: 30_000, retries: 0 }),
    },
    hooks: { hooks: [], redact: (text) => text, tell: async () => undefined },
    plans: {
      files: [],
      ofAllScopes: [],
      specs: [],
      follow: async () => ({
        added: [],
        updated: [],
        dropped: [],
        revived: [],
        claims: [],
        revertedMarks: [],
        problems: [],
      }),
      mark: async () => ({ hasChanged: false, problems: [] }),
      asDone: async (_task, _path, text) => text,
      whileWriting: async (_listener, action) => await action(),
      texts: async () => new Map(),
      layOver: async () => ({ plans: new Map(), hasWritten: false }),
      bringHome: async () => [],
    },
    prompt: async () => ({ system: "", text: "Do it." }),
    env: { PATH: process.env["PATH"], HOME: "/nowhere", GIT_CONFIG_NOSYSTEM: "1" },
    version: "0.0.0",
    self: [process.execPath, PROGRAM],
    isRoot: false,
    kill: new AbortController().signal,
    requests: { stopAfter: () => false, isPaused: () => false, takeResume: () => false },
    renewCopy: async () => undefined,
  };
}

const RULES: RunRules = {
  promise: "COMPLETE",
  strategy: "fixed",
  isModelFinal: false,
  iterations: undefined,
  minIterations: 1,
  errors: 3,
  timeMs: undefined,
  costUsd: undefined,
  tokens: undefined,
  attempts: 3,
  iterationsPerTask: 5,
  noProgress: 3,
  newTasks: 50,
  conflicts: 2,
  exclusiveGates: false,
  longestWaitMs: 0,
  session: { inactivityMs: 30_000, wallMs: 30_000, graceMs: 5000, patienceMs: 30_000 },
  keepsProcesses: false,
  specsDirs: [],
  protect: [],
  protectNew: [],
  acting: [],
  actingOld: [],
  setup: null,
  workflows: [],
  inputs: [],
  notWork: [],
  commits: true,
  maxFileBytes: 1024 ** 2,
  together: true,
  allow: [],
  testFiles: ["**/*.test.*"],
  tests: "look",
  applyFixes: false,
  extraMs: 120_000,
  demands: { isStrict: false, acceptsLook: false, allowsUnverified: false },
};
