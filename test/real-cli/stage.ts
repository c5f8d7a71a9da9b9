import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { vi } from "vitest";
import { placesFolder } from "../../src/app/run/open-places.ts";
import { openRepository } from "../../src/system/git/repository.ts";
import { marked, sweep } from "../../src/system/process/sweep.ts";
import { PROGRAM } from "../built-program.ts";
import { type LoopRun, type LoopWorkspace, loopWorkspace, runOf } from "../loop-workspace.ts";
import { homeOf, temporaryFolder, write } from "../temporary-folder.ts";
import { type Cli, type Place, programOf } from "./cli.ts";
import { type ModelServer, type Scripted, startModel } from "./model-server.ts";

/** Where a case is played: a repository, a home that nobody has used, a model, and the CLI of a user. */
export interface Stage {
  readonly place: LoopWorkspace;
  /** The home of its user. */
  readonly home: string;
  readonly model: ModelServer;
  readonly run: LoopRun;
  /** What the CLI and its tools left running. */
  readonly processes: readonly number[];
}

export interface Play {
  readonly script: (about: {
    readonly task: string;
    readonly ids: readonly string[];
    readonly folder: string;
  }) => readonly Scripted[];
  /** Titles of tasks, each of which needs the one before; default: one task. */
  readonly tasks?: readonly string[];
  readonly limits?: string;
  /** Another agent comes next, which does the work. */
  readonly hasNext?: true;
  readonly files?: Readonly<Record<string, string>>;
  /** A shell command that starts the CLI, which is `"$@"` in it. */
  readonly under?: string;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Further files of the home; those that end in `.sh` are programs. */
  readonly home?: (place: Place) => Readonly<Record<string, unknown>>;
  /** Settings of the harness; default: the model. */
  readonly settings?: string;
  /** The user has never logged in. */
  readonly isLoggedOut?: true;
  /** The run is told to stop when this file is there. */
  readonly stopsAt?: string;
  /** By this signal; default: SIGTERM. After SIGKILL another run goes on. */
  readonly signal?: NodeJS.Signals;
}

const MARK = "REAL_CLI_CASE";
const NEXT = JSON.stringify([[{ write: { path: "done.txt", text: "yes" } }, { say: "<task-done>{task}</task-done>" }]]);
const LONGEST_MS = 240_000;

/** Plays a case from its beginning to the end of its run. */
export async function stage(cli: Cli, path: readonly string[], play: Play): Promise<Stage> {
  const home = temporaryFolder();
  const out = play.isLoggedOut && cli.loggedOut;
  const place = await loopWorkspace({
    script: NEXT,
    ...(play.tasks && { tasks: play.tasks }),
    harness: play.hasNext === true ? `[${cli.name}, scripted]` : cli.name,
    harnesses: { [cli.name]: settingsOf(cli, play, play.under === undefined ? undefined : `${home}/cli`) },
    config: `specs: { dirs: [] }\ngates:\n  - { id: test, run: test -f done.txt }\nlimits: { ${play.limits ?? "errors: 2"} }\n`,
    files: play.files ?? {},
  });
  for (const [at, id] of place.ids.slice(1).entries()) await place.task("dep", "add", id, "--needs", place.ids[at]!);
  const state = { ...homeOf(place.folder), HOME: home };
  // The CLIs' tools for files want absolute paths.
  const lane = await laneOf(place, state);
  const model = await startModel(play.script({ task: place.ids[0]!, ids: place.ids, folder: lane }));
  const marker = { name: MARK, value: randomUUID() };
  try {
    const own = { ...(out?.files ?? cli.files({ home, url: model.url })), ...play.home?.({ home, url: model.url }) };
    write(home, textsOf(own));
    for (const name of Object.keys(own)) if (name.endsWith(".sh")) chmodSync(join(home, name), 0o755);
    const env = {
      PATH: [...path, process.env["PATH"]].join(delimiter),
      ...state,
      [marker.name]: marker.value,
      // Whoever wants to go elsewhere asks us, and is refused and named.
      ...proxied(model.url),
      ...cli.env({ home, url: model.url }),
      ...out?.env,
      ...play.env,
    };
    if (play.under !== undefined) {
      write(home, { cli: `#!/bin/sh\nset -- ${join(path[0]!, programOf(cli))} "$@"\n${play.under}\n` });
      chmodSync(join(home, "cli"), 0o755);
    }
    const { stopsAt, signal } = play;
    const ends = stopsAt === undefined ? {} : { stopsAt: join(lane, stopsAt), ...(signal && { signal }) };
    const first = await started(place, env, ends);
    if (signal !== "SIGKILL") return { place, home, model, run: first, processes: marked(marker) };
    await vi.waitUntil(() => marked(marker).length === 0, { timeout: LONGEST_MS, interval: 50 });
    const run = await started(place, env);
    return { place, home, model, run, processes: marked(marker) };
  } finally {
    await sweep(marker);
    await model.close();
  }
}

/** `under`: a program that starts the CLI. */
function settingsOf({ acp, ...cli }: Cli, { settings, isLoggedOut }: Play, under: string | undefined): string {
  const model = (isLoggedOut && cli.loggedOut.model) ?? cli.model;
  const own = settings ?? (model === undefined ? "" : `model: ${model}`);
  const start = under === undefined ? "" : `bin: ${under}`;
  const spoken = acp && `kind: acp, run: "${under ?? acp.program} ${acp.args}"`;
  return [own, spoken ?? start].filter((part) => part !== "").join(", ");
}

async function laneOf({ folder }: LoopWorkspace, env: Readonly<Record<string, string>>): Promise<string> {
  const home = await openRepository({ folder, env });
  return join(placesFolder(home, { root: folder, config: { lanes: { folder: null } } }, env), "1");
}

export const textsOf = (files: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(files).map(([path, one]) => [path, typeof one === "string" ? one : JSON.stringify(one)]),
  );

export const proxied = (url: string): Record<string, string> =>
  Object.fromEntries([
    ...["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"].map((name) => [name, url]),
    ...["NO_PROXY", "no_proxy"].map((name) => [name, "127.0.0.1,localhost"]),
  ]);

interface HowItEnds {
  /** A file: when it is there, the run gets a signal. */
  readonly stopsAt?: string;
  readonly signal?: NodeJS.Signals;
  readonly args?: readonly string[];
}

export async function started(
  { folder }: LoopWorkspace,
  env: Readonly<Record<string, string>>,
  { stopsAt, signal = "SIGTERM", args = [] }: HowItEnds = {},
): Promise<LoopRun> {
  const child = spawn(process.execPath, [PROGRAM, "run", "--json", ...args], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), LONGEST_MS);
  let stdout = "";
  let stderr = "";
  let isOver = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<number>((done) => {
    child.on("close", (code) => {
      isOver = true;
      done(code ?? -1);
    });
  });
  if (stopsAt !== undefined) {
    const isThere = (): boolean => isOver || existsSync(stopsAt);
    await vi.waitUntil(isThere, { timeout: LONGEST_MS, interval: 20 });
    child.kill(signal);
  }
  const code = await ended;
  clearTimeout(timer);
  return runOf(folder, { code, stdout, stderr });
}
