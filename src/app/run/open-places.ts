import { createHash } from "node:crypto";
import { basename, dirname, join, resolve } from "node:path";
import type { Environment } from "../../domain/environment.ts";
import { placeOf, placeText } from "../../domain/lane-env.ts";
import type { Hook } from "../../domain/hook.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import type { Lane, Room, Start } from "../../lane/lane.ts";
import { lentFiles, openInPlace, type LentPatterns } from "../../lane/in-place.ts";
import { readTruth } from "../../system/git/clone.ts";
import type { CloneTruth } from "../../system/git/clone-config.ts";
import { laneAsRoom, openLane, openRoom, type PlaceSettings, type PlacesRequest } from "../../lane/open-places.ts";
import type { OpenLane } from "../../loop/work-in-lanes.ts";
import type { Scope } from "../../scope/scope.ts";
import { deviceOf, entriesIn, isBelow } from "../../system/folder.ts";
import type { Repository } from "../../system/git/repository.ts";
import type { Boxes } from "../../system/process/box.ts";
import { partMarker } from "../../system/process/marker.ts";
import { stateFolder } from "../../system/state-folder.ts";
import type { Workspace } from "../workspace.ts";
import { inputPatterns } from "./lane-inputs.ts";
import { treePath } from "./plans.ts";
import type { OpenLanding } from "./open-landing.ts";

export interface OpenPlacesRequest {
  readonly home: Repository;
  readonly workspace: Workspace;
  readonly landing: Pick<OpenLanding, "target" | "head">;
  readonly run: string;
  readonly env: Environment;
  /** Takes the output of set-up. */
  readonly folder: string;
  /** Lines for `.worktreeinclude` that are not in it. */
  readonly include?: readonly string[] | undefined;
  readonly emit: (event: RunEvent) => void;
  /** What stands around set-up. */
  readonly boxes: Pick<Boxes, "gates">;
  readonly host: { readonly interrupts: { readonly stop: AbortSignal; readonly kill: AbortSignal } };
}

interface FirstPlaces {
  readonly lane: Lane;
  readonly room: Room;
  readonly close: () => Promise<void>;
}

export interface Places extends FirstPlaces {
  /** Opens a further lane. `start`: it is filled with it and set up. */
  readonly openLane: (number: number, start?: Start) => Promise<OpenLane>;
  /** L-10: opens a further room, which `close` closes. */
  readonly openRoom: (number: number) => Promise<Room>;
  /** The numbers of further lanes that exist. */
  readonly otherLanes: () => Promise<readonly number[]>;
}

/** Opens the first lane and the room of a run. */
export async function openPlaces(request: RunPlacesRequest): Promise<Places> {
  let truth: Promise<CloneTruth> | undefined;
  // A tree that cannot be lent needs no room.
  const own = request.workspace.config.lanes.inPlace ? await openOwnTree(request) : undefined;
  const readOnce = (): Promise<CloneTruth> => (truth ??= readTruth(request.home, request.landing.head));
  const about = { ...placesRequest(request), truth: readOnce, included: own?.included };
  const places = await openFirst(request, about, own);
  // Hooks are programs too, and agents.
  let isIdle = request.hooks.length === 0;
  const watched = (lane: Lane): Lane => ({
    ...lane,
    begin: async (start, task) => {
      isIdle = false;
      // A session may have removed it, too.
      await request.freshenBin();
      return await lane.begin(start, task);
    },
  });
  const openFurther = async (number: number, start?: Start): Promise<OpenLane> => {
    const onSetup: PlacesRequest["onSetup"] = (said) => {
      isIdle = false;
      about.onSetup(said);
    };
    const lane = await openLane({ ...about, onSetup }, number);
    if (start !== undefined) await fill(lane, start);
    const asRoom = request.workspace.config.verify.in === "tree" ? roomIn(request, lane) : undefined;
    return { lane: watched(lane), asRoom, close: lane.close };
  };
  // No agent follows: unless set-up runs, all stays as idle as it was.
  const fill = async (lane: Lane & Pick<OpenLane, "close">, start: Start): Promise<void> => {
    try {
      await request.freshenBin();
      await lane.begin(start);
    } catch (error) {
      await lane.close();
      throw error;
    }
  };
  const guarded = (room: Room): Room => ({
    ...room,
    enter: async (start, use) => {
      const wasIdle = isIdle;
      if (use?.isReadOnly !== true) isIdle = false;
      await request.freshenBin();
      return await room.enter(start, { ...use, isIdle: wasIdle });
    },
  });
  const further: Awaited<ReturnType<typeof openRoom>>[] = [];
  const openFurtherRoom = async (number: number): Promise<Room> => {
    if (places.room.isLane === true) return places.room; // each lane has its own
    const room = await openRoom(about, number);
    further.push(room);
    return guarded(room);
  };
  return {
    ...places,
    lane: watched(places.lane),
    room: guarded(places.room),
    openLane: openFurther,
    openRoom: openFurtherRoom,
    close: async () => void (await Promise.all([places, ...further].map(async ({ close }) => await close()))),
    otherLanes: async () => (await laneNumbers(about.parent)).filter((number) => number > 1),
  };
}

interface RunPlacesRequest extends OpenPlacesRequest {
  readonly scope: Scope;
  readonly hooks: readonly Hook[];
  /** L-21: removes programs that an agent put on the PATH of gates. */
  readonly freshenBin: () => Promise<unknown>;
}

async function openFirst(
  request: RunPlacesRequest,
  about: PlacesRequest,
  own: (Lane & Pick<OpenLane, "close">) | undefined,
): Promise<FirstPlaces> {
  const opening = own === undefined ? openLane(about) : Promise.resolve(own);
  if (request.workspace.config.verify.in === "tree") {
    const lane = await opening;
    return { lane, room: roomIn(request, lane), close: lane.close };
  }
  // At the same time; what was opened is closed if the other fails.
  const [lane, room] = await Promise.allSettled([opening, openRoom(about)]);
  if (lane.status === "fulfilled" && room.status === "fulfilled") {
    const close = async () => void (await Promise.all([lane.value.close(), room.value.close()]));
    return { lane: lane.value, room: room.value, close };
  }
  const failed = [lane, room].find((result) => result.status === "rejected");
  for (const result of [lane, room]) if (result.status === "fulfilled") await result.value.close();
  throw failed?.reason;
}

/** Each lane has a row from before its folder is made. */
async function laneNumbers(parent: string): Promise<number[]> {
  const names = (await entriesIn(parent)).map((name) => /^(\d+)\.json$/.exec(name)?.[1]);
  return names.filter((name) => name !== undefined).map(Number);
}

/** T-02: the lane is its own room. */
const roomIn = (request: RunPlacesRequest, lane: Lane): Room =>
  laneAsRoom(lane, lentFiles(lentPatterns(request)).isInput);

/** L-01: lane 0. It is given back even if the run fails. */
async function openOwnTree(request: OpenPlacesRequest & { readonly scope: Scope }) {
  const { home, workspace, landing, run, env, emit } = request;
  const lane = await openInPlace({
    home,
    root: workspace.root,
    run,
    target: landing.target,
    env,
    inputs: lentPatterns(request),
    onKept: (saved) => emit({ type: "work.kept", ...saved }),
  });
  return { ...lane, close: lane.release };
}

/** L-03: the files that stay the person's, as git names them. */
export function lentPatterns({
  home,
  workspace,
  scope,
}: Pick<OpenPlacesRequest, "home" | "workspace"> & { readonly scope: Scope }): LentPatterns {
  const inTree = treePath(home.folder, workspace.root);
  return { plans: scope.planFiles.map(inTree), all: [...inputPatterns(scope), ".ralph/**"].map(inTree) };
}

export function placesRequest(request: OpenPlacesRequest): PlacesRequest {
  const { home, workspace, landing, run, env, folder, emit, host } = request;
  const { root } = workspace;
  const told = new Set<string>();
  const tell = (text: string): void => emit({ type: "run.notice", level: "info", text });
  return {
    home,
    root,
    parent: placesFolder(home, workspace, env),
    head: landing.head,
    branch: landing.target.branch,
    run,
    env,
    settings: { ...placeSettings(workspace), include: request.include },
    marker: partMarker(run, "setup"),
    box: request.boxes.gates,
    outputs: folder,
    onSetup: (said) => {
      if ("command" in said) tell(`Setting up ${placeText(placeOf(said.place))}: ${said.command}`);
    },
    notice: (text) => {
      // The lane and the room may have the same to say.
      if (!told.has(text)) emit({ type: "run.notice", level: "warning", text });
      told.add(text);
    },
    stop: host.interrupts.stop,
    kill: host.interrupts.kill,
  };
}

export const placeSettings = ({ config: { lanes, verify, limits } }: Pick<Workspace, "config">): PlaceSettings => ({
  setup: lanes.setup ?? verify.setup,
  setupMs: limits.setup,
  env: lanes.env,
  keep: lanes.keep,
});

/** Programs find `ralphctl` here: nothing on their PATH leads into the person's tree. */
export const binFolder = (home: Repository, workspace: Workspace, env: Environment): string =>
  join(placesFolder(home, workspace, env), "bin");

type LanesFolder = Pick<Workspace["config"]["lanes"], "folder">;

/** L-02: on the device of the repository, so that a clone needs no copies of its objects. */
export function placesFolder(
  home: Repository,
  { root, config: { lanes } }: { readonly root: string; readonly config: { readonly lanes: LanesFolder } },
  env: Environment,
): string {
  const hash = createHash("sha256").update(home.gitFolder).digest("hex").slice(0, 8);
  const name = `${basename(home.folder)}-${hash}`;
  if (lanes.folder !== null) return resolve(root, lanes.folder, name);
  const state = stateFolder(env);
  // A home folder may itself be the repository.
  const isNear = state !== undefined && !isBelow(home.folder, state) && deviceOf(state) === deviceOf(home.folder);
  return join(isNear ? join(state, "ralphctl", "lanes") : join(dirname(home.folder), ".ralphctl"), name);
}
