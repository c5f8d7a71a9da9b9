import { RalphError } from "../../domain/error.ts";
import type { Fleet, FleetRequestKind, FleetRun } from "../../store/store.ts";
import { gitFolder, headOf } from "../../system/git/folder.ts";
import type { Surroundings } from "../workspace.ts";
import { connectFleet } from "./connect-fleet.ts";

type Place = Pick<Surroundings, "cwd" | "env">;

export interface FleetAsk {
  /** Only of this run. */
  readonly run?: string | undefined;
  /** U-04: where it was asked; undefined: in a terminal. */
  readonly from?: string | undefined;
}

/** F-06: asks something of a run of the fleet, wherever it is. Returns its id; undefined when no run goes on. */
export const askFleet = async (
  place: Place,
  kind: FleetRequestKind,
  asked: FleetAsk = {},
): Promise<string | undefined> =>
  await withFleet(place, async (fleet) => {
    const run = await meantRun(fleet, place, asked.run);
    if (run !== undefined) await fleet.request(run.id, kind, asked.from);
    return run?.id;
  });

const WAIT_MS = 30_000;
const LOOK_MS = 100;

/** The same for a stop, and waits until the run has ended. */
export const stopFleetRun = async (place: Place, onAsked: (run: string) => void): Promise<string | undefined> =>
  await withFleet(place, async (fleet) => {
    const run = await meantRun(fleet, place);
    if (run === undefined) return undefined;
    await fleet.request(run.id, "stop");
    onAsked(run.id);
    for (const start = performance.now(); (await fleet.getRun(run.id))?.endedAt === undefined;) {
      if (performance.now() - start > WAIT_MS) throw lateError(run);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    return run.id;
  });

const lateError = ({ id, isFollowed }: FleetRun): RalphError =>
  new RalphError("busy", `Run ${id} has not ended yet. Its machines finish the proofs that are under way`, {
    hint: isFollowed
      ? "Look at it with ralphctl status"
      : "Nobody follows it: ralphctl run --fleet takes it over, and ends it",
  });

async function withFleet<Result>(place: Place, work: (fleet: Fleet) => Promise<Result>): Promise<Result> {
  const fleet = await connectFleet(place, { connections: 1 });
  try {
    return await work(fleet);
  } finally {
    await fleet.close();
  }
}

/** The one that was named; else the only one, or that on the branch of this clone. */
async function meantRun(fleet: Fleet, place: Place, named?: string): Promise<FleetRun | undefined> {
  const runs = await fleet.activeRuns();
  if (named !== undefined) return runs.find(({ id }) => id === named);
  if (runs.length < 2) return runs[0];
  const git = gitFolder(place.cwd);
  const own = git && runs.find(({ target }) => target === `refs/heads/${headOf(git.own).branch}`);
  if (own !== undefined) return own;
  const names = runs.map(({ id, target }) => `${id} on ${target.replace("refs/heads/", "")}`).join(", ");
  throw new RalphError("usage", `The fleet has several runs: ${names}`, {
    hint: "Change to a clone that has the branch of one checked out",
  });
}
