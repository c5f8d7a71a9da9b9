import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, vi } from "vitest";
import { openPostgresFleet } from "../src/store/postgres-fleet.ts";
import type { PostgresFleet } from "../src/store/postgres-fleet.ts";
import { atEnd } from "./at-end.ts";
import { PROGRAM, ralphctl } from "./built-program.ts";
import { newDatabase } from "./postgres.ts";
import type { Answer } from "./recording-io.ts";
import { git, temporaryFolder, temporaryRepository, TRUSTED } from "./temporary-folder.ts";

// Many machines on one: each has a home, a state folder and a clone of its own, and a bare repository is the remote.

export interface FleetOptions {
  /** What a session does, in a shell; it claims its task unless it exits. */
  readonly agent: string;
  /** Another harness than that shell, as `harness:` and `harnesses:` of the configuration. */
  readonly harness?: string;
  readonly gate?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly config?: string;
  readonly lease?: string;
  /** The address of the database; default: a new one. */
  readonly url?: string;
  readonly remote?: (bare: string) => Promise<string>;
}

export interface Machine {
  /** The clone. */
  readonly folder: string;
  /** The folder of all that it has. */
  readonly place: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command there to its end. */
  readonly type: (...args: readonly string[]) => Promise<Answer>;
  /** Starts one that goes on. */
  readonly start: (...args: readonly string[]) => Running;
  /** The same, and it is killed at a point of `die-at.mjs`: the first that counts, or that many points later. */
  readonly startDying: (at: readonly [from: string, later?: number], ...args: readonly string[]) => Running;
}

export interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly said: () => string;
  readonly ended: Promise<Answer>;
  readonly kill: (signal?: NodeJS.Signals) => void;
}

export interface FleetPlay {
  readonly bare: string;
  readonly url: string;
  /** A folder that agents and tests share; the file `meeting` in each home names it. */
  readonly meeting: string;
  /** `env`: more of it. `isApart`: what runs there has process ids of its own, and a kill ends all of it, as when a machine dies. */
  readonly machine: (options?: { readonly isApart?: boolean; readonly env?: Machine["env"] }) => Machine;
  readonly shared: PostgresFleet;
  /** Adds tasks; each may need those before it, by place. */
  readonly addTasks: (tasks: readonly (readonly [title: string, ...needs: number[]])[]) => Promise<string[]>;
  readonly states: () => Promise<Record<string, string>>;
  readonly subjects: () => string[];
  /** What is wrong with the landing: commits without a verdict of their tree, and tasks that landed twice or too early. */
  readonly faults: (isPersons?: (subject: string) => boolean) => Promise<string[]>;
}

const AGENT_END = 'echo "<task-done>$RALPHCTL_TASK</task-done>"';

export async function fleetPlay(options: FleetOptions): Promise<FleetPlay> {
  const { agent, gate = "true", files = {}, config = "", lease = "60s" } = options;
  const meeting = temporaryFolder();
  const script = join(meeting, "agent.sh");
  writeFileSync(script, `MEET=${meeting}\ncat > "$MEET/prompt-$RALPHCTL_TASK"\n${agent}\n${AGENT_END}\n`);
  const settings = [
    options.harness ?? `harness: [command]\nharnesses:\n  command: { run: "sh ${script}" }`,
    `gates:\n  - { id: test, run: ${JSON.stringify(gate)} }`,
    `fleet: { lease: ${lease}, patience: 60s }`,
    config,
  ];
  const first = temporaryRepository({
    ".gitignore": ".ralph/runs\n.ralph/*.db*\n",
    "a.txt": "1\n",
    "PROMPT_build.md": "Do it.\n",
    ".ralph/config.yaml": `${settings.join("\n")}\n`,
    ...files,
  });
  const bare = join(temporaryFolder(), "remote.git");
  git(first, "clone", "--quiet", "--bare", first, bare);
  const address = (await options.remote?.(bare)) ?? bare;
  const url = options.url ?? (await newDatabase());
  const machine: FleetPlay["machine"] = ({ isApart = false, env = {} } = {}) =>
    newMachine({ address, url, meeting, isApart, more: env });
  const init = await machine().type("fleet", "init");
  expect(init, init.stderr).toMatchObject({ code: 0 });
  const shared = await openPostgresFleet({ url, repository: git(first, "rev-list", "--max-parents=0", "HEAD") });
  atEnd(() => shared.close());
  return {
    bare,
    url,
    meeting,
    machine,
    shared,
    addTasks: async (tasks) => {
      const ids: string[] = [];
      for (const [title, ...needs] of tasks) {
        ids.push(...(await shared.store.add([{ scope: "workspace", title, needs: needs.map((at) => ids[at]!) }])));
      }
      return ids;
    },
    states: async () => {
      const { tasks } = await shared.store.list();
      return Object.fromEntries(tasks.map(({ title, status }) => [title, status]));
    },
    faults: async (isPersons) => await faultsOf(bare, shared, isPersons),
    subjects: () => git(bare, "log", "--first-parent", "--reverse", "--format=%s", "main").split("\n").slice(1),
  };
}

/** The files below a folder in which one of these texts is. */
export const filesWith = (folder: string, texts: readonly string[]): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => texts.some((text) => readFileSync(path).includes(text)));

async function faultsOf(
  bare: string,
  { store }: PostgresFleet,
  isPersons: (subject: string) => boolean = () => false,
): Promise<string[]> {
  const format = "--format=%T%x09%s%x09%(trailers:key=Ralph-Task,valueonly,separator=%x20)";
  const lines = git(bare, "log", "--first-parent", "--reverse", format, "main").split("\n").slice(1);
  const landed = new Set<string>();
  const faults: string[] = [];
  for (const line of lines) {
    const [tree = "", subject = "", id = ""] = line.split("\t");
    if (isPersons(subject)) continue;
    const task = await store.get(id);
    const verdicts = (await store.attempts(id).catch(() => [])).filter(({ verdict }) => verdict?.tree === tree);
    if (verdicts.length === 0) faults.push(`no verdict: ${subject}`);
    if (landed.has(id)) faults.push(`landed twice: ${subject}`);
    faults.push(...(task?.needs ?? []).filter((need) => !landed.has(need)).map((need) => `${subject} before ${need}`));
    landed.add(id);
  }
  const { tasks } = await store.list({ statuses: ["done"] }, { limit: 10_000 });
  return [
    ...faults,
    ...tasks.filter(({ id }) => !landed.has(id)).map(({ title }) => `done, and never landed: ${title}`),
  ];
}

let machines = 0;

interface MachineRequest {
  readonly address: string;
  readonly url: string;
  readonly meeting: string;
  readonly isApart: boolean;
  readonly more: Machine["env"];
}

const APART = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"] as const;

function newMachine({ address, url, meeting, isApart, more }: MachineRequest): Machine {
  machines += 1;
  const place = temporaryFolder();
  const folder = join(place, "clone");
  const home = join(place, "home");
  mkdirSync(home);
  writeFileSync(join(home, "meeting"), meeting);
  git(dirname(folder), "clone", "--quiet", address, folder);
  git(folder, "config", "user.name", `Machine ${machines}`);
  git(folder, "config", "user.email", "machine@example.invalid");
  const env = {
    PATH: process.env["PATH"]!,
    HOME: home,
    XDG_STATE_HOME: join(place, "state"),
    RALPHCTL_PROCESSES_NAMESPACE: "off",
    RALPHCTL_FLEET_URL: url,
    ...TRUSTED,
    ...more,
  };
  return {
    folder,
    place,
    env,
    type: async (...args) => await ralphctl(args, { cwd: folder, env }),
    start: (...args) => startThere([...(isApart ? APART : []), process.execPath, PROGRAM, ...args], { folder, env }),
    startDying: ([from, later = 0], ...args) =>
      startThere([process.execPath, "--import", resolve("test/die-at.mjs"), PROGRAM, ...args], {
        folder,
        env: { ...env, DIE_AT: String(later + 1), DIE_FROM: from },
      }),
  };
}

function startThere(words: readonly string[], { folder, env }: Pick<Machine, "folder" | "env">): Running {
  const [file, ...args] = words as [string, ...string[]];
  const child = spawn(file, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<Answer>((resolve) => {
    child.on("close", (code) => resolve({ code: code ?? -1, stdout, stderr }));
  });
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const kill = (signal: NodeJS.Signals = "SIGTERM"): void => {
    if (!isOver()) child.kill(signal);
  };
  atEnd(async () => {
    kill("SIGCONT");
    kill("SIGKILL");
    await ended;
  });
  return { child, pid: child.pid!, said: () => stdout + stderr, ended, kill };
}

/** Waits for something, however busy the machine is. */
export async function until(isSo: () => unknown, what = "it"): Promise<void> {
  const look = async (): Promise<boolean> => Boolean(await isSo());
  await vi.waitUntil(look, { timeout: 240_000, interval: 100 }).catch(() => {
    throw new Error(`never: ${what}`);
  });
}
