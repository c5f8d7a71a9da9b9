import type { Requests } from "../../loop/run-deps.ts";
import { BY_FOLLOWER } from "../../loop/shared-run.ts";
import type { FleetRequests } from "../../store/store.ts";
import type { OpenFleet } from "./open-fleet.ts";

const NOTHING: FleetRequests = { stop: false, stopAfter: false, isPaused: false, resumes: 0, from: undefined };
const LOOK_MS = 1000;

interface WatchedRequests {
  readonly requests: Requests;
  /** Somebody ends the run at once. */
  readonly stop: AbortSignal;
}

interface Watched {
  readonly run: string;
  readonly isFollower: boolean;
  /** Nobody here works on the run any more. */
  readonly over: AbortSignal;
}

/** F-06: what people ask of a run, wherever they are. Reaches this machine within a second. */
export function watchFleetRequests(
  { shared, wake }: { readonly shared: Pick<OpenFleet["shared"], "requests">; readonly wake: OpenFleet["wake"] },
  { run, isFollower, over }: Watched,
): WatchedRequests {
  const stop = new AbortController();
  let asked = NOTHING;
  let resumes = 0;
  const look = async (): Promise<void> => {
    // While the database is away, nobody asks anything.
    const said = await shared.requests(run).catch(() => asked);
    // What the follower tells others is its own end already.
    if (!isFollower || said.from !== BY_FOLLOWER) asked = said;
    if (asked.stop) stop.abort();
  };
  const watch = async (): Promise<void> => {
    while (!over.aborted) {
      await look();
      await Promise.race([wake.next(), new Promise((resolve) => setTimeout(resolve, LOOK_MS).unref())]);
    }
  };
  void watch();
  const requests: Requests = {
    stopAfter: () => asked.stopAfter,
    isPaused: () => asked.isPaused,
    from: () => asked.from,
    takeResume: () => {
      const isNew = asked.resumes > resumes;
      resumes = asked.resumes;
      return isNew;
    },
  };
  return { requests, stop: stop.signal };
}
