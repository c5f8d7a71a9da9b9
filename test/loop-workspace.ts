import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { initWorkspace } from "../src/app/init.ts";
import type { RunEvent, RunFinished } from "../src/domain/run/event.ts";
import { marked } from "../src/system/process/sweep.ts";
import { ralphctl } from "./built-program.ts";
import { type Answer, type, typed } from "./recording-io.ts";
import { writeAgent } from "./shell-agent.ts";
import {
  commitAll,
  copyFolder,
  git,
  templateFolder,
  temporaryFolder,
  temporaryRepository,
  write,
} from "./temporary-folder.ts";

export interface WorkspaceOptions {
  /** The script of the agent: sessions in YAML; it may name the tasks, and `{home}`, which is the user's workspace. */
  readonly script: string | ((ids: readonly string[]) => string);
  /** Titles of tasks, each added in order. */
  readonly tasks?: readonly string[];
  /** Added to the configuration, in which `{home}` is the user's workspace. Default gate: `test -f done.txt`. */
  readonly config?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Which harness, or which list of them. */
  readonly harness?: string;
  /** Settings of harnesses by name, `model: m, models: [m]`: added to those of `scripted`. */
  readonly harnesses?: Readonly<Record<string, string>>;
  /** Found in the environment by every command. */
  readonly env?: Readonly<Record<string, string>>;
  /** Commands are the built program. Otherwise they run in this process, which takes half the time. */
  readonly isBuilt?: boolean;
  /** The script is played by `ralphctl scripted-agent` itself, also where a shell could do the same. */
  readonly isRealAgent?: boolean;
}

/** A repository in which the built program runs a scripted agent. */
export interface LoopWorkspace {
  readonly folder: string;
  /** Ids of the tasks, in order. */
  readonly ids: readonly string[];
  readonly ralphctl: (...args: readonly string[]) => Promise<Answer>;
  /** `ralphctl task …`, always in this process. */
  readonly task: (...args: readonly string[]) => Promise<Answer>;
  /** `ralphctl run --json` with more arguments. */
  readonly run: (...args: readonly string[]) => Promise<LoopRun>;
  readonly git: (...args: readonly string[]) => string;
  /** The status of each task by its title: `done`, `pending`, `failed` … */
  readonly states: () => Promise<Record<string, string>>;
  /** The questions of parked tasks by title. */
  readonly questions: () => Promise<Record<string, string>>;
  /** Subjects of all commits since the workspace was made, oldest first. */
  readonly commits: () => string[];
  readonly read: (path: string) => string;
  readonly write: (files: Readonly<Record<string, string>>) => void;
}

export interface LoopRun extends Answer {
  /** Its id; empty when it never began. */
  readonly name: string;
  readonly events: readonly RunEvent[];
  /** Undefined when it never began. */
  readonly finished: RunFinished | undefined;
  /** The outcomes of its iterations. */
  readonly outcomes: readonly string[];
  /** What the agent was sent in an iteration. */
  readonly prompt: (iteration: number) => string;
}

const DEFAULT_GATE = "gates:\n  - { id: test, run: test -f done.txt }\n";

export async function loopWorkspace(options: WorkspaceOptions): Promise<LoopWorkspace> {
  const { script, tasks = ["Do it"], config = DEFAULT_GATE, files = {}, harnesses = {}, env = {} } = options;
  const { harness = "scripted", isRealAgent = false } = options;
  const isBuilt = options.isBuilt ?? options.env?.["TMPDIR"] !== undefined;
  const folder = temporaryFolder();
  copyFolder(await initialised({ "README.md": "# Test\n", ...files }), folder);
  const inHome = (text: string): string => text.replaceAll("{home}", folder);
  // Outside the repository: agents of tests change everything in it.
  const place = temporaryFolder();
  const bin = isRealAgent ? undefined : `bin: ${JSON.stringify(join(place, "agent"))}`;
  const scripted = [`script: ${JSON.stringify(join(place, "script.yaml"))}`, bin, harnesses["scripted"]]
    .filter(Boolean)
    .join(", ");
  const lines = Object.entries({ ...harnesses, scripted }).map(([name, settings]) => `  ${name}: { ${settings} }\n`);
  write(folder, { ".ralph/config.yaml": `harness: ${harness}\nharnesses:\n${lines.join("")}${inHome(config)}` });
  commitAll(folder, "Make a workspace");
  const start = readFileSync(join(folder, ".git/refs/heads/main"), "utf8").trim();
  const call = async (...args: readonly string[]): Promise<Answer> =>
    await (isBuilt ? ralphctl : typed)(args, { cwd: folder, env });
  // What only prepares and looks is done in this process: a program takes ten times as long to start.
  const quick = async (...args: readonly string[]): Promise<string> => (await type(args, { cwd: folder })).stdout;
  const ids: string[] = [];
  for (const title of tasks) ids.push((await quick("task", "add", title)).trim());
  writeAgent(place, inHome(typeof script === "string" ? script : script(ids)));
  return { ...placeAt(folder, { call, start }), ids };
}

/** The workspace in a folder, which may be a copy of another. */
export function placeAt(
  folder: string,
  {
    call = async (...args) => await typed(args, { cwd: folder }),
    start = git(folder, "log", "--format=%H", "--grep=^Make a workspace$"),
  }: { readonly call?: LoopWorkspace["ralphctl"]; readonly start?: string } = {},
): LoopWorkspace {
  // What only prepares and looks is done in this process: a program takes ten times as long to start.
  const quick = async (...args: readonly string[]): Promise<string> => (await type(args, { cwd: folder })).stdout;
  return {
    folder,
    ids: [],
    ralphctl: call,
    task: async (...args) => await type(["task", ...args], { cwd: folder }),
    run: async (...args) => {
      const run = runOf(folder, await call("run", "--json", ...args));
      // Whatever the agent did, nothing of it outlives its run; of a run that was killed, not for long.
      const nothingIsLeft = () => expect(marked({ name: "RALPHCTL_RUN", value: run.name })).toEqual([]);
      if (run.finished === undefined && run.name !== "") await vi.waitFor(nothingIsLeft, { timeout: 50_000 });
      else if (run.name !== "") nothingIsLeft();
      return run;
    },
    git: (...args) => git(folder, ...args),
    states: async () => {
      const list = JSON.parse(await quick("task", "list", "--json")) as { title: string; status: string }[];
      return Object.fromEntries(list.map(({ title, status }) => [title, status]));
    },
    questions: async () => {
      const list = JSON.parse(await quick("task", "list", "--status", "parked", "--json")) as {
        readonly title: string;
        readonly question: string;
      }[];
      return Object.fromEntries(list.map(({ title, question }) => [title, question]));
    },
    commits: () => git(folder, "log", "--reverse", "--format=%s", `${start}..`).split("\n").filter(Boolean),
    read: (path) => readFileSync(join(folder, path), "utf8"),
    write: (more) => write(folder, more),
  };
}

const templates = new Map<string, string>();

/** A repository with these files and all that `init` adds, the latter not committed; made once in each worker. */
async function initialised(files: Readonly<Record<string, string>>): Promise<string> {
  const key = JSON.stringify(files);
  const made = templates.get(key);
  if (made !== undefined) return made;
  const folder = temporaryRepository(files);
  await initWorkspace({ cwd: folder, env: { PATH: process.env["PATH"]! }, force: false });
  const template = templateFolder();
  copyFolder(folder, template);
  templates.set(key, template);
  return template;
}

/** What a run said, read from its events. */
export function runOf(folder: string, answer: Answer): LoopRun {
  const lines = answer.stdout.split("\n").filter(Boolean);
  const all = lines.map((line) => JSON.parse(line) as RunEvent & { readonly run: string });
  const name = all[0]?.run ?? "";
  return {
    ...answer,
    name,
    events: all,
    finished: all.find((event) => event.type === "run.finished"),
    outcomes: all.flatMap((event) => (event.type === "iteration.finished" ? [event.outcome] : [])),
    prompt: (iteration) => readFileSync(join(folder, ".ralph/runs", name, String(iteration), "prompt.md"), "utf8"),
  };
}
