import { resolve } from "node:path";
import { allowDirtyError } from "../../domain/allow-dirty.ts";
import type { Gate, GateCheck } from "../../domain/gate.ts";
import type { Harness } from "../../harness/harness.ts";
import type { RunHost } from "../run/run.ts";
import { type Run, startRun } from "../run/start-run.ts";
import type { ScopeChoice, Surroundings } from "../workspace.ts";
import { checkRunOptions } from "./check-options.ts";
import { wrapHarness } from "./custom-harness.ts";

/** The process that uses the library. */
export interface World {
  readonly cwd: () => string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly self: RunHost["self"];
  readonly isRoot: boolean;
  readonly version: string;
  readonly answer: RunHost["answer"];
}

/** A workspace, and settings on top of its files. */
export interface WorkspaceOptions {
  /** A folder in the workspace; default: the working directory. */
  readonly cwd?: string | undefined;
  /** The whole environment of started programs; default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Configuration keys, nested as in the file: `{ limits: { iterations: 5 } }`. They override files. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /** An additional configuration file. */
  readonly configFile?: string | undefined;
  /**
   * Trust the programs and settings that the repository's own files name. Default: only what a person has trusted with
   * `ralphctl trust`, or `RALPHCTL_TRUST=1` in the environment.
   */
  readonly trust?: boolean | undefined;
}

/** Your own gate: a command for `sh -c`, or a function. */
export type OwnGate = {
  readonly id: string;
  readonly timeoutMs?: number | undefined;
  /** How often to retry after a failure. */
  readonly retries?: number | undefined;
} & ({ readonly run: string } | { readonly check: GateCheck });

/** Options of a run, all optional. */
export interface RunOptions extends WorkspaceOptions {
  /** `auto` plans if there is a goal and no task, and then builds. */
  readonly mode?: "auto" | "plan" | "build" | undefined;
  /** What to do, in words; becomes a task. */
  readonly words?: string | undefined;
  /** A file that says what to do. */
  readonly file?: string | undefined;
  /** Only these tasks: ids, or their beginnings. */
  readonly tasks?: readonly string[] | undefined;
  readonly scope?: ScopeChoice | undefined;
  readonly model?: string | undefined;
  /** Names of `harnesses` or built-in ones; the next takes over if one can't continue. */
  readonly harness?: string | readonly string[] | undefined;
  /** Your own harnesses, by name. */
  readonly harnesses?: Readonly<Record<string, Harness>> | undefined;
  /** Gates in addition to those of the workspace. */
  readonly gates?: readonly OwnGate[] | undefined;
  /** Refuse to run without a gate, and ask for proven work: the run ends as `unverified` otherwise. */
  readonly strict?: boolean | undefined;
  /** Approve work that ralphctl asks a person to look at. */
  readonly acceptLook?: boolean | undefined;
  /** Work in the files of the workspace, which must be clean, instead of a lane. */
  readonly inPlace?: boolean | undefined;
  /** Stops the run, like `stop()`. */
  readonly signal?: AbortSignal | undefined;
}

/** Starts the loop. The events come by `for await`, the end by `finished`. */
export function runIn(world: World, options: RunOptions): Run {
  if (Object.hasOwn(Object(options), "allowDirty")) throw allowDirtyError("allowDirty");
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
      acceptLook: options.acceptLook,
    },
    {
      ...surroundingsOf(world, options),
      self: world.self,
      isRoot: world.isRoot,
      version: world.version,
      answer: world.answer,
      harnesses:
        harnesses && Object.fromEntries(Object.entries(harnesses).map(([name, own]) => [name, wrapHarness(name, own)])),
      ...(signal !== undefined && { interrupts: { stop: signal } }),
    },
  );
}

/** The input of use cases, from the options. */
export function surroundingsOf(world: World, options: WorkspaceOptions & Partial<RunOptions>): Surroundings {
  const { cwd, env, config = {}, configFile, harness, model, inPlace } = options;
  const named = {
    ...(harness !== undefined && { harness }),
    ...(inPlace !== undefined && { lanes: { ...(config["lanes"] as object | undefined), inPlace } }),
  };
  // A named model is used in every iteration, unless a strategy is named too.
  const meant = model === undefined ? {} : { models: { strategy: "fixed" } };
  return {
    cwd: resolve(world.cwd(), cwd ?? "."),
    env: env ?? world.env,
    flags: { ...meant, ...config, ...named },
    configFile,
    model,
    trust: { isGiven: options.trust === true },
  };
}

const GATE_MS = 10 * 60 * 1000;

function gateOf(gate: OwnGate): Gate {
  // One of the two is there.
  const { id, timeoutMs = GATE_MS, retries = 0, run, check } = gate as OwnGate & { run?: string; check?: GateCheck };
  return { id, kind: "command", run: run ?? `the function ${id}`, check, timeoutMs, retries };
}
