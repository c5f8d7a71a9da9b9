import { placesFolder } from "../../src/app/run/open-places.ts";
import { openRepository } from "../../src/system/git/repository.ts";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import { DONE, sh, type Step } from "../hostile-run.ts";
import { type LiveRun, processesOf, startLive, startUnder } from "../live-run.ts";
import { type LoopRun, type LoopWorkspace, loopWorkspace, type WorkspaceOptions } from "../loop-workspace.ts";
import { comes } from "../many-lanes.ts";
import { homeOf, temporaryFolder } from "../temporary-folder.ts";
import type { Seen, TortureCase } from "./case.ts";
import { brokenRefs, landedTwice, unproven, wrongMoves } from "./landing-history.ts";
import { toldBy } from "./told.ts";

const TASKS = ["One", "Two", "Three", "Four"];

/** A workspace in which four agents work at once. */
export interface LanePlay extends LoopWorkspace {
  /** Outside of the repository, for files by which agents, gates and the case tell each other where they are. */
  readonly marks: string;
  /** Starts `ralphctl run --lanes 4`. */
  readonly start: (...args: readonly string[]) => LiveRun;
  /** Starts it, and waits until it has ended. */
  readonly play: (...args: readonly string[]) => Promise<LoopRun>;
  /** The same by a command that starts the program, which is added to it. */
  readonly under: (command: readonly string[]) => Promise<LoopRun>;
  /** The folder of a lane. */
  readonly lane: (number: number) => Promise<string>;
}

export interface LaneCase extends Omit<TortureCase, "play" | "expected"> {
  /** What each session does, given the folder for marks; then it claims its task. */
  readonly session: (marks: string) => string;
  readonly workspace?: (marks: string) => Partial<WorkspaceOptions>;
  /** What happens; without it, one run. What it returns is seen too. */
  readonly act?: (play: LanePlay) => Promise<Readonly<Record<string, unknown>> | void>;
  /** Whether a commit that the person made is green. */
  readonly isGreen?: boolean;
  /** What differs from four tasks that are proven done at once. */
  readonly expected?: Partial<Seen>;
}

/** What must be seen unless a case says otherwise. */
const ALL: Seen = {
  codes: [0],
  outcomes: TASKS.map(() => "verified"),
  states: Object.fromEntries(TASKS.map((title) => [title, "done"])),
  commits: TASKS.toSorted(),
  told: [],
  processes: [],
};

/** Each agent has its file, and goes on when all four have begun. */
export const ownFile = (marks: string): string =>
  `touch ${marks}/on-$RALPHCTL_TASK; until [ $(ls ${marks} | grep -c ^on-) -ge 4 ]; do sleep 0.02; done; echo $RALPHCTL_TASK > $RALPHCTL_TASK.txt`;

/** The same, and it waits until the case has done its part. */
export const heldFile = (marks: string): string =>
  `touch ${marks}/on-$RALPHCTL_TASK; ${comes(`${marks}/go`)}; ${ownFile(marks)}`;

/** A case with four agents at once: afterwards each landed commit is proven, each task landed once, no ref is broken. */
export function laneCase(asked: LaneCase): TortureCase {
  const { session, workspace = () => ({}), act = async (play) => void (await play.play()), expected, ...about } = asked;
  const { isGreen = true, ...named } = about;
  return {
    ...named,
    expected: { ...ALL, ...expected, more: { wrong: [], ...expected?.more } },
    play: async () => {
      const marks = temporaryFolder();
      const steps: Step[] = [sh(session(marks)), DONE];
      const place = await loopWorkspace({
        tasks: TASKS,
        config: "specs: { dirs: [] }\ngates: [{ id: test, run: test ! -e broken }]\n",
        script: JSON.stringify([steps]),
        ...workspace(marks),
      });
      const runs: Promise<LoopRun>[] = [];
      const start = (...args: readonly string[]): LiveRun => {
        const run = startLive(place.folder, "--lanes", "4", ...args);
        runs.push(run.ended);
        return run;
      };
      const under = async (command: readonly string[]): Promise<LoopRun> => {
        const run = startUnder(command, place.folder, "--lanes", "4");
        runs.push(run.ended);
        return await run.ended;
      };
      const lane = async (number: number): Promise<string> => {
        const home = await openRepository({ folder: place.folder, env: homeOf(place.folder) });
        const about = { root: place.folder, config: { lanes: { folder: null } } };
        return join(placesFolder(home, about, homeOf(place.folder)), String(number));
      };
      const play: LanePlay = {
        ...place,
        marks,
        start,
        play: async (...args) => await start(...args).ended,
        under,
        lane,
      };
      const more = await act(play);
      return await seenOf(play, await Promise.all(runs), { isGreen, more: more ?? {} });
    },
  };
}

interface Found {
  readonly isGreen: boolean;
  readonly more: Readonly<Record<string, unknown>>;
}

/** Which lane was first is up to the machine, so all lists are in order. */
async function seenOf(place: LanePlay, runs: readonly LoopRun[], { isGreen, more }: Found): Promise<Seen> {
  const { folder } = place;
  return {
    codes: runs.map(({ code }) => code),
    outcomes: runs.flatMap(({ outcomes }) => outcomes).toSorted(),
    states: await place.states(),
    commits: place.commits().toSorted(),
    told: runs.flatMap((run) => toldBy(run, { folder, tasks: place.ids })).toSorted(),
    processes: processesOf(folder),
    more: {
      wrong: [
        ...(await unproven(folder, { isGreen: () => isGreen })),
        ...landedTwice(folder),
        ...brokenRefs(folder),
        ...wrongMoves(folder),
      ],
      ...more,
    },
  };
}

const SLOW = { timeout: 50_000, interval: 20 };

/** Waits until four agents work, does something, and lets them go on. */
export async function meanwhile(play: LanePlay, act: () => void): Promise<LoopRun> {
  const run = play.start();
  await allAtWork(play);
  act();
  writeFileSync(join(play.marks, "go"), "");
  return await run.ended;
}

export async function allAtWork({ marks, ids }: LanePlay): Promise<void> {
  await vi.waitUntil(() => ids.every((id) => existsSync(join(marks, `on-${id}`))), SLOW);
}
