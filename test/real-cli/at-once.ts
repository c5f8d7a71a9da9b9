import { randomUUID } from "node:crypto";
import { chmodSync } from "node:fs";
import { delimiter, join } from "node:path";
import { vi } from "vitest";
import { marked, sweep } from "../../src/system/process/sweep.ts";
import { eventsOf } from "../run-seen.ts";
import { type LoopRun, loopWorkspace } from "../loop-workspace.ts";
import { comes } from "../many-lanes.ts";
import { homeOf, temporaryFolder, write } from "../temporary-folder.ts";
import { brokenRefs, landedTwice, unproven } from "../torture/landing-history.ts";
import type { Cli } from "./cli.ts";
import { AT_ONCE } from "./clis.ts";
import { type Asked, startModel } from "./model-server.ts";
import { proxied, started, textsOf } from "./stage.ts";
import type { Step } from "./wire.ts";

// Three CLIs at once in four lanes, with one run that is killed and another that goes on.

export const NAME = "at-once";
export const ABOUT =
  "three CLIs at once in four lanes, with a lie, a limit, a hang, a conflict and SIGKILL to ralphctl: every task lands once, every landed tree is green, and no process is left";

const CLIS: readonly Cli[] = Object.values(AT_ONCE);

/** A session that waits for the second run, if this is the first. */
const held = (marks: string, name: string): string =>
  `touch ${marks}/on-${name}; [ -e ${marks}/again ] || sleep 25; echo x > ${name}.txt`;

/** What a session does, in shell, by the title of its task. Files in `marks` say how far things have come. */
const WORK: Readonly<Record<string, (marks: string) => string>> = {
  // Both add their line before the other's has landed.
  "Append first": (marks) =>
    `touch ${marks}/meets-1; ${comes(`${marks}/meets-2`)}; grep -qx first list.txt || echo first >> list.txt`,
  "Append second": (marks) =>
    `touch ${marks}/meets-2; ${comes(`${marks}/meets-1`)}; grep -qx second list.txt || echo second >> list.txt`,
  // Its first claim is red. Codex refuses `rm -f`, and its session would end without a change.
  Lie: (marks) =>
    `if [ -e ${marks}/lied ]; then rm bad.txt; else touch ${marks}/lied; echo x > bad.txt; fi; echo x > lie.txt`,
  One: () => "echo x > one.txt",
  Two: () => "echo x > two.txt",
  Three: () => "echo x > three.txt",
  Four: () => "echo x > four.txt",
  // ralphctl is killed while these four are at work.
  ...Object.fromEntries(
    ["first", "second", "third"].map((name) => [`Last ${name}`, (marks: string) => held(marks, name)]),
  ),
  Killed: (marks) =>
    `${["first", "second", "third"].map((name) => comes(`${marks}/on-${name}`)).join("; ")}; touch ${marks}/killed; ${held(marks, "killed")}`,
};

const TITLES = Object.keys(WORK);
const TITLE = /\*\*Title:\*\* ([A-Za-z ]+)/;
const BEGUN = "I begin with it now.";

/** All that can be seen of both runs. */
export interface AtOnce {
  readonly codes: readonly number[];
  readonly states: Readonly<Record<string, string>>;
  /** What was asked about parked tasks. */
  readonly questions: Readonly<Record<string, string>>;
  /** Files of the last commit, in order. */
  readonly files: readonly string[];
  /** What is not as it must be in the landing. */
  readonly wrong: readonly string[];
  readonly processes: readonly number[];
  readonly elsewhere: readonly string[];
  /** Whether each of the accidents happened. */
  readonly met: Readonly<Record<string, boolean>>;
  /** CLIs whose work was verified. */
  readonly worked: readonly string[];
}

export const EXPECTED: AtOnce = {
  codes: [-1, 0],
  states: Object.fromEntries(TITLES.map((title) => [title, "done"])),
  questions: {},
  files: ["first", "four", "killed", "lie", "list", "one", "second", "third", "three", "two"].map(
    (name) => `${name}.txt`,
  ),
  wrong: [],
  processes: [],
  elsewhere: [],
  met: { lie: true, limit: true, hang: true, conflict: true },
  worked: CLIS.map(({ name }) => name).toSorted(),
};

/** When the limit of one CLI ends, once it has begun. */
interface Limited {
  endsMs: number | undefined;
}

/** Answers each CLI by the task that it was given, whatever the others do. */
function modelFor(ids: ReadonlyMap<string, string>, marks: string, limit: Limited): (asked: Asked) => Step {
  return ({ path, body }) => {
    const cli = AT_ONCE[path as keyof typeof AT_ONCE];
    // The first requests of one CLI meet a limit.
    if (path === "/v1/responses") {
      limit.endsMs ??= Math.ceil((Date.now() + cli.limitMs) / 1000) * 1000;
      if (Date.now() < limit.endsMs) return { error: cli.limits(limit.endsMs) };
    }
    const title = TITLE.exec(body)?.[1] ?? "";
    const isThrough = body.includes(BEGUN);
    if (isThrough) return { text: `All finished.\n\n<task-done>${ids.get(title)}</task-done>` };
    return { text: BEGUN, tools: [cli.runs(WORK[title]!(marks))] };
  };
}

/** Plays both runs. `path`: where the CLIs are. */
export async function playAtOnce(path: readonly string[]): Promise<AtOnce> {
  const [home, marks] = [temporaryFolder(), temporaryFolder()];
  const place = await loopWorkspace({
    script: "[]",
    tasks: TITLES,
    harness: `[${CLIS.map(({ name }) => name).join(", ")}]`,
    harnesses: Object.fromEntries(
      CLIS.map(({ name, model }) => [name, `model: ${model}${name === "pi" ? `, bin: ${home}/pi` : ""}`]),
    ),
    config: `specs: { dirs: [] }\ngates: [{ id: test, run: test ! -e bad.txt }]\nlimits: { grace: 1s, attempts: 5 }\n`,
    files: { "list.txt": "begin\n" },
  });
  const ids = new Map(TITLES.map((title, at) => [title, place.ids[at]!]));
  const needed = ["Append first", "Append second"].flatMap((title) => ["--needs", ids.get(title)!]);
  for (const title of TITLES.slice(-4)) await place.task("dep", "add", ids.get(title)!, ...needed);
  const limit: Limited = { endsMs: undefined };
  const model = await startModel([modelFor(ids, marks, limit)]);
  const marker = { name: "REAL_CLI_CASE", value: randomUUID() };
  try {
    for (const cli of CLIS) write(home, textsOf(cli.files({ home, url: model.url })));
    // It does not exit after its result.
    write(home, { pi: `#!/bin/sh\nPATH='${path.join(delimiter)}':$PATH pi "$@"\ntouch ${marks}/hangs\nsleep 300\n` });
    chmodSync(join(home, "pi"), 0o755);
    const env: Record<string, string> = {
      PATH: [...path, process.env["PATH"]].join(delimiter),
      ...homeOf(place.folder),
      HOME: home,
      [marker.name]: marker.value,
      ...proxied(model.url),
      ...Object.assign({}, ...CLIS.map((cli) => cli.env({ home, url: model.url }))),
    };
    const args = ["--lanes", "4"];
    const first = await started(place, env, { args, stopsAt: join(marks, "killed"), signal: "SIGKILL" });
    await vi.waitUntil(() => marked(marker).length === 0, { timeout: 60_000, interval: 50 });
    await vi.waitUntil(() => Date.now() > (limit.endsMs ?? 0), { timeout: 60_000 });
    write(marks, { again: "" });
    const second = await started(place, env, { args });
    const runs = [first, second];
    return {
      codes: runs.map(({ code }) => code),
      states: await place.states(),
      questions: await place.questions(),
      files: filesOf(
        place.git("diff", "--name-only", "--diff-filter=AM", place.git("rev-list", "--max-parents=0", "HEAD"), "HEAD"),
      ),
      wrong: [
        ...(await unproven(place.folder, { isGreen: () => false })),
        ...redTrees(place.git),
        ...landedTwice(place.folder),
        ...brokenRefs(place.folder),
      ],
      processes: marked(marker),
      elsewhere: model.elsewhere,
      met: metIn(runs),
      worked: [...new Set(runs.flatMap(workedIn))].toSorted(),
    };
  } finally {
    await sweep(marker);
    await model.close();
  }
}

const filesOf = (names: string): string[] => names.split("\n").filter((name) => /^\w+\.txt$/.test(name));

/** Commits of the landing that have the file for which the gate looks. */
const redTrees = (git: (...args: readonly string[]) => string): string[] =>
  git("log", "--format=%H", "refs/ralph/target/main")
    .split("\n")
    .filter((commit) => git("ls-tree", "--name-only", commit).split("\n").includes("bad.txt"))
    .map((commit) => `red: ${commit}`);

function metIn(runs: readonly LoopRun[]): AtOnce["met"] {
  const outcomes = new Set(runs.flatMap((run) => run.outcomes));
  const stops = new Set(runs.flatMap((run) => eventsOf(run, "session.stopped").map(({ limit }) => limit)));
  return {
    lie: outcomes.has("rejected"),
    limit: outcomes.has("limited"),
    hang: stops.has("limits.grace"),
    conflict: outcomes.has("conflict"),
  };
}

function workedIn(run: LoopRun): string[] {
  const by = new Map(eventsOf(run, "iteration.started").map(({ iteration, harness }) => [iteration, harness]));
  return eventsOf(run, "iteration.finished").flatMap(({ iteration, outcome }) =>
    outcome === "verified" ? [by.get(iteration)!] : [],
  );
}
