import { expect } from "vitest";
import type { EventOf, RunEvent } from "../src/domain/run/event.ts";
import { marked } from "../src/system/process/sweep.ts";
import { type LoopRun, type LoopWorkspace, runOf } from "./loop-workspace.ts";
import { typed } from "./recording-io.ts";

/** A step of a scripted session, as the script's YAML has it. */
export type Step = Readonly<Record<string, unknown>>;

/** The claim that a session makes at its end. */
export const DONE: Step = { say: "<task-done>{task}</task-done>" };
/** What the default gate asks for. */
export const WORK: Step = { write: { path: "done.txt", text: "yes\n" } };

export const sh = (command: string): Step => ({ run: command });

/** A script from sessions, each a list of steps; the last one is played ever after. JSON is YAML. */
export const script = (...sessions: readonly (readonly Step[])[]): string => JSON.stringify(sessions);

/** A script by the titles of tasks. */
export const scriptFor = (sessions: Readonly<Record<string, readonly Step[]>>): string =>
  JSON.stringify(Object.entries(sessions).map(([title, steps]) => ({ when: { title }, steps })));

/** `ralphctl run --json` with an environment of its own; like every run here it must leave no process behind. */
export async function runWith(
  place: Pick<LoopWorkspace, "folder">,
  { env = {}, args = [], cwd = place.folder }: { env?: Record<string, string>; args?: string[]; cwd?: string } = {},
): Promise<LoopRun> {
  const run = runOf(cwd, await typed(["run", "--json", ...args], { cwd, env }));
  expect(leftBy(run)).toEqual([]);
  return run;
}

/** Processes of a run that are still there. */
export function leftBy({ events }: LoopRun): number[] {
  const started = events.find((event) => event.type === "run.started");
  return started === undefined ? [] : marked({ name: "RALPHCTL_RUN", value: started.run });
}

/** What a run came to, in one value. */
export async function seen(place: LoopWorkspace, run: LoopRun) {
  expect(leftBy(run)).toEqual([]);
  return { code: run.code, outcomes: run.outcomes, states: await place.states(), commits: place.commits() };
}

export const eventsOf = <Type extends RunEvent["type"]>({ events }: LoopRun, type: Type): EventOf<Type>[] =>
  events.filter((event): event is EventOf<Type> => event.type === type);

/** Everything that somebody should know, without the two sentences of the first run in a repository. */
export const notices = (run: LoopRun): string[] =>
  eventsOf(run, "run.notice")
    .map(({ text }) => text)
    .filter(
      (text) =>
        !/^(The agent works in a lane|Each agent works in a lane|Work that the gates prove becomes a commit)/.test(
          text,
        ),
    );

/** What the agent did that it may not do. */
export const notes = (run: LoopRun): string[] => eventsOf(run, "protocol.broken").map(({ note }) => note);

/** The reasons of each verdict. */
export const verdicts = (run: LoopRun): string[][] =>
  eventsOf(run, "verdict.reached").map(({ verdict, reasons }) => Array.of<string>(verdict).concat(reasons));

/** What commits of ours left out, by path. */
export const leftOut = (run: LoopRun): Record<string, string> =>
  Object.fromEntries(
    eventsOf(run, "commit.made").flatMap(({ leftOut: all }) => all.map(({ path, why }) => [path, why])),
  );
