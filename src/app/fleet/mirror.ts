import { join } from "node:path";
import { RalphError } from "../../domain/error.ts";
import type { Fleet, FleetRun } from "../../store/store.ts";
import { checkInside } from "../../system/folder.ts";
import { type MirrorFile, openMirrorFile } from "../../system/mirror-file.ts";
import { sleep } from "../../system/sleep.ts";
import { sayMirrored } from "../run/mirrored-runs.ts";
import { findStore, isOfFleet } from "../task-store.ts";
import type { Surroundings } from "../workspace.ts";
import { syncContexts } from "./shared-context.ts";

/** F-04: copies the events of the fleet's runs into the folder of runs here, so that everything that reads runs can. */
export interface Mirror {
  readonly close: () => Promise<void>;
}

const LOOK_MS = 200;
/** Which runs there are, and what people told agents, changes less often than events come. */
const RUNS_MS = 1000;
const NEWEST = 20;
const MOST_EVENTS = 2000;

/** Nothing in a shell without a fleet's address. When it returns, all that has happened so far is there. */
export async function openMirror(place: Pick<Surroundings, "cwd" | "env">): Promise<Mirror> {
  if (!isOfFleet(place.env)) return { close: async () => undefined };
  const { connectFleet } = await import("./connect-fleet.ts");
  const at = await findStore(place.cwd);
  const fleet = await connectFleet(place, { connections: 1 });
  try {
    return await mirrorOf(fleet, { root: at.root, home: join(at.file, "..") });
  } catch (error) {
    await fleet.close();
    throw error;
  }
}

export interface MirrorPlace {
  readonly root: string;
  /** The folder that all working trees share. */
  readonly home: string;
}

/** The same with what is open already, which `close` closes. */
export async function mirrorOf(fleet: Fleet, place: MirrorPlace): Promise<Mirror> {
  const end = new AbortController();
  const files = new Map<string, MirrorFile>();
  const whole = new Set<string>();
  let active: readonly FleetRun[] = [];
  const lookAtRuns = async (): Promise<void> => {
    const runs = await fleet.listRuns(NEWEST);
    active = runs.filter(({ endedAt }) => endedAt === undefined);
    for (const run of runs.filter(({ id }) => !whole.has(id))) {
      await copyEvents(fleet, run.id, await fileOf(files, place, run.id));
      // What a machine sends later than the end is copied by the next command.
      if (run.endedAt !== undefined) whole.add(run.id);
    }
    sayMirrored(
      place.root,
      active.map(({ id, scope, owner, startedAt }) => ({ run: id, scope, owner, startedAt })),
    );
    await syncContexts(fleet.store, place.home);
  };
  const lookAtEvents = async (): Promise<void> => {
    for (const { id } of active) await copyEvents(fleet, id, await fileOf(files, place, id));
  };
  await lookAtRuns();
  const following = (async () => {
    for (let nextMs = performance.now() + RUNS_MS; ;) {
      await sleep(LOOK_MS, end.signal);
      if (end.signal.aborted) return;
      const isTime = performance.now() >= nextMs;
      if (isTime) nextMs = performance.now() + RUNS_MS;
      try {
        await (isTime ? lookAtRuns() : lookAtEvents());
      } catch (error) {
        // F-07: what reads the copy goes on with it. The database may be back at the next look.
        if (!(error instanceof RalphError)) throw error;
      }
    }
  })();
  return {
    close: async () => {
      end.abort();
      await following;
      await fleet.close();
    },
  };
}

async function fileOf(files: Map<string, MirrorFile>, { root }: MirrorPlace, run: string): Promise<MirrorFile> {
  const known = files.get(run);
  if (known !== undefined) return known;
  const path = join(root, ".ralph", "runs", run, "events.ndjson");
  await checkInside(root, path);
  const file = await openMirrorFile(path);
  files.set(run, file);
  return file;
}

async function copyEvents(fleet: Fleet, run: string, file: MirrorFile): Promise<void> {
  for (let there = file.count(); ;) {
    const found = await fleet.eventsAfter(run, there, MOST_EVENTS);
    if (found.length === 0) return;
    there = file.add(
      there,
      found.map(({ line }) => line),
    );
  }
}
