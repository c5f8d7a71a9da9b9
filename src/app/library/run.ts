import { resolve } from "node:path";
import type { Gate, GateCheck } from "../../domain/gate.ts";
import type { Harness } from "../../harness/harness.ts";
import type { RunHost } from "../run/run.ts";
import { type Run, startRun } from "../run/start-run.ts";
import type { ScopeChoice, Surroundings } from "../workspace.ts";
import { checkRunOptions } from "./check-options.ts";
import { ownHarness } from "./own-harness.ts";

/** The process that uses the library. */
export interface World {
  readonly cwd: () => string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly self: RunHost["self"];
  readonly isRoot: boolean;
  readonly version: string;
}

/** Where a workspace is, and what holds there beside its files. */
export interface WorkspaceOptions {
  /** A folder in the workspace; the working directory where it is left out. */
  readonly cwd?: string | undefined;
  /** The whole environment of all that is started; that of the process where it is left out. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Keys of the configuration, nested as in its file: `{ limits: { iterations: 5 } }`. They win over files. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /** Another file of configuration, read beside the others. */
  readonly configFile?: string | undefined;
}

/** A gate of your own: a command for `sh -c`, or a function of your program. */
export type OwnGate = {
  readonly id: string;
  readonly timeoutMs?: number | undefined;
  /** How often it is tried again after a failure. */
  readonly retries?: number | undefined;
} & ({ readonly run: string } | { readonly check: GateCheck });

/** What a run is about; nothing of it has to be said. */
export interface RunOptions extends WorkspaceOptions {
  /** `auto` plans where there is a goal and no task, and then builds. */
  readonly mode?: "auto" | "plan" | "build" | undefined;
  /** What shall be done, in words: becomes a task. */
  readonly words?: string | undefined;
  /** A file that says what shall be done. */
  readonly file?: string | undefined;
  /** Only these tasks: ids, or their beginnings. */
  readonly tasks?: readonly string[] | undefined;
  readonly scope?: ScopeChoice | undefined;
  readonly model?: string | undefined;
  /** Names of `harnesses`, or of those that ralphctl knows; the next takes over where one cannot go on. */
  readonly harness?: string | readonly string[] | undefined;
  /** Harnesses of your own, by name. */
  readonly harnesses?: Readonly<Record<string, Harness>> | undefined;
  /** What a claim has to pass beside the gates of the workspace. */
  readonly gates?: readonly OwnGate[] | undefined;
  /** Refuses to run where nothing could prove a claim. */
  readonly strict?: boolean | undefined;
  /** Runs although there are changes that are not committed; they never are by a run. */
  readonly allowDirty?: boolean | undefined;
  /** Stops the run as `stop()` does. */
  readonly signal?: AbortSignal | undefined;
}

/** Starts the loop. The events come by `for await`, the end by `finished`. */
export function runIn(world: World, options: RunOptions): Run {
  checkRunOptions(options);
  const { mode = "auto", words, file, tasks, scope = {}, harnesses, signal } = options;
  return startRun(
    {
      mode,
      words,
      file,
      tasks,
      scope,
      gates: options.gates?.map(gateOf),
      strict: options.strict ?? false,
      allowDirty: options.allowDirty ?? false,
    },
    {
      ...surroundingsOf(world, options),
      self: world.self,
      isRoot: world.isRoot,
      version: world.version,
      harnesses:
        harnesses && Object.fromEntries(Object.entries(harnesses).map(([name, own]) => [name, ownHarness(name, own)])),
      ...(signal !== undefined && { interrupts: { stop: signal } }),
    },
  );
}

/** What use cases start from, as the options say it. */
export function surroundingsOf(world: World, options: WorkspaceOptions & Partial<RunOptions>): Surroundings {
  const { cwd, env, config = {}, configFile, harness, model } = options;
  const named = harness === undefined ? {} : { harness };
  // Whoever names a model means it, unless they name a strategy too.
  const meant = model === undefined ? {} : { models: { strategy: "fixed" } };
  return {
    cwd: resolve(world.cwd(), cwd ?? "."),
    env: env ?? world.env,
    flags: { ...meant, ...config, ...named },
    configFile,
    model,
  };
}

const GATE_MS = 10 * 60 * 1000;

function gateOf(gate: OwnGate): Gate {
  // One of the two is there.
  const { id, timeoutMs = GATE_MS, retries = 0, run, check } = gate as OwnGate & { run?: string; check?: GateCheck };
  return { id, kind: "command", run: run ?? `the function ${id}`, check, timeoutMs, retries };
}
