import { homeOf } from "../temporary-folder.ts";
import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { marked, sweep } from "../../src/system/process/sweep.ts";
import { PROGRAM } from "../built-program.ts";
import { type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";
import type { Seen } from "./case.ts";
import { hostileAgent, type Voice } from "./hostile-agent.ts";
import { toldBy } from "./told.ts";

export interface TrialOptions {
  readonly voice: Voice;
  /** How the agent behaves in each session. */
  readonly sessions: readonly string[];
  readonly tasks?: readonly string[];
  /** Settings of `limits` in the configuration. */
  readonly limits?: string;
}

/** How a run is started, where that is not the usual way. */
export interface Start {
  readonly args?: readonly string[];
  /** A command that starts the program, which is added to it. */
  readonly under?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Called with each event that is kept, as it comes. */
  readonly onEvent?: (event: RunEvent) => void;
}

export interface TrialRun {
  readonly code: number;
  readonly name: string;
  /** All but what the agent itself said. */
  readonly events: readonly RunEvent[];
  readonly stderr: string;
}

/** A workspace with a hostile agent, in which runs are started one after the other, or at once. */
export interface Trial extends Omit<LoopWorkspace, "run"> {
  /** Outside of the repository; shared with the agent. */
  readonly agentFolder: string;
  readonly run: (start?: Start) => Promise<TrialRun>;
  /** All that can be seen now. */
  readonly seen: (more?: Readonly<Record<string, unknown>>) => Promise<Seen>;
  /** Ends whatever is left. */
  readonly end: () => Promise<void>;
}

/** Whether agents and gates have a sandbox: `npm run torture -- --sandbox KIND`. */
export const IN_SANDBOX = process.env["RALPH_TORTURE_SANDBOX"] !== undefined;

/** Longer than any run of the suite may take. */
const LONGEST_MS = { fast: 110_000, slow: 590_000 };
const MARK = "TORTURE_TRIAL";

export async function openTrial(options: TrialOptions, pace: keyof typeof LONGEST_MS = "fast"): Promise<Trial> {
  const { voice, sessions, tasks = ["Do it"], limits = "" } = options;
  const agent = hostileAgent(sessions);
  const place = await loopWorkspace({
    script: "[]",
    tasks,
    harnesses: { command: `bin: ${JSON.stringify(agent.program)}` },
    config: `specs: { dirs: [] }\ngates:\n  - { id: test, run: test -f done.txt }\nlimits: { noProgress: 20${limits && `, ${limits}`} }\n`,
  });
  // In the environment of all that the runs start, by us and by the agent.
  const marker = { name: MARK, value: randomUUID() };
  const runs: TrialRun[] = [];
  return {
    ...place,
    agentFolder: agent.folder,
    run: async ({ args = [], under = [], env = {}, onEvent = () => undefined } = {}) => {
      const command = [...under, process.execPath, PROGRAM, "run", "--json", "--harness", voice, ...args];
      const run = await played(command, {
        cwd: place.folder,
        env: {
          PATH: agent.path,
          ...homeOf(place.folder),
          // As for everybody; what the agent itself keeps from session to session is not the sandbox's business.
          RALPHCTL_PROCESSES_NAMESPACE: "auto",
          ...(IN_SANDBOX && { RALPHCTL_SANDBOX_WRITE: agent.folder }),
          [marker.name]: marker.value,
          ...env,
        },
        longestMs: LONGEST_MS[pace],
        onEvent,
      });
      runs.push(run);
      return run;
    },
    seen: async (more) => ({
      codes: runs.map(({ code }) => code),
      outcomes: runs.flatMap(({ events }) =>
        events.flatMap((event) => (event.type === "iteration.finished" ? [event.outcome] : [])),
      ),
      states: await place.states(),
      commits: place.commits(),
      told: runs.flatMap((run) => toldBy(run, { folder: place.folder, tasks: place.ids })),
      processes: [...marked(marker), ...namedBy(agent.folder)],
      ...(more && { more }),
    }),
    end: async () => void (await sweep(marker)),
  };
}

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly longestMs: number;
  readonly onEvent: (event: RunEvent) => void;
}

/** One run, from start to end. Of a gigabyte of events only what matters is kept. */
async function played(command: readonly string[], { cwd, env, longestMs, onEvent }: Place): Promise<TrialRun> {
  const [file = "", ...args] = command;
  const child = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const timer = setTimeout(() => child.kill("SIGKILL"), longestMs);
  const events: (RunEvent & { readonly run: string })[] = [];
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const isOver = new Promise<number>((done, fail) => {
    child.on("error", fail).on("close", (code) => done(code ?? -1));
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('"type":"agent.')) continue;
    const event = JSON.parse(line) as RunEvent & { readonly run: string };
    events.push(event);
    onEvent(event);
  }
  const code = await isOver;
  clearTimeout(timer);
  return { code, name: events[0]?.run ?? "", events, stderr };
}

/** Processes that were given a path on their command line: those without a marker tell by it where they come from. */
const namedBy = (path: string): number[] =>
  execFileSync("ps", ["-A", "-ww", "-o", "pid=,args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.endsWith(` ${path}`))
    .map((line) => Number.parseInt(line, 10));
