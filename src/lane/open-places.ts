import { dirname, join, relative } from "node:path";
import type { Environment } from "../domain/environment.ts";
import { RalphError } from "../domain/error.ts";
import type { Gate, GateResult } from "../domain/gate.ts";
import { laneEnv, type LaneName, roomName } from "../domain/lane-env.ts";
import { folderSpellings } from "../system/folder-spellings.ts";
import { freeBlock } from "../system/free-port.ts";
import { makeFolder, removeAll } from "../system/folder.ts";
import type { CloneTruth } from "../system/git/clone-config.ts";
import { treeWith } from "../system/git/commit.ts";
import { emptyPlace, isOwnFolder } from "../system/git/place-files.ts";
import type { Repository } from "../system/git/repository.ts";
import { changesBetween, snapshot, type Snapshot } from "../system/git/snapshot.ts";
import { dropProving } from "../system/git/work-ref.ts";
import { randomUuid } from "../system/random-name.ts";
import { emptyLaneTmp, newLaneTmp } from "../system/temporary-folder.ts";
import type { MakeBox } from "../system/process/box.ts";
import type { Marker } from "../system/process/marker.ts";
import type { IncludedFiles } from "./included-files.ts";
import type { EnteredRoom, Lane, Room, RoomFiles, Start } from "./lane.ts";
import { openRow, readRow } from "./lane-row.ts";
import { saveAddedFiles, saveForeignContent, saveTips } from "./lost.ts";
import { mendPlace } from "./mend-place.ts";
import { collectPlace, keptAs, openPlace, type Place, resetPlace } from "./place.ts";
import { prepare, setupProducts } from "./setup.ts";

export interface PlacesRequest {
  readonly home: Repository;
  /** The person's workspace. */
  readonly root: string;
  /** The folder of the lanes and the room. */
  readonly parent: string;
  readonly head: string;
  readonly branch: string | undefined;
  /** What clones say about the repository; undefined: each place reads it. */
  readonly truth?: (() => Promise<CloneTruth>) | undefined;
  readonly run: string;
  /** The environment of the run's programs. */
  readonly env: Environment;
  readonly settings: PlaceSettings;
  /** The included files; undefined: those that the person's tree names now. */
  readonly included?: (() => IncludedFiles) | undefined;
  readonly marker: Marker;
  /** Makes what stands around set-up. */
  readonly box?: MakeBox | undefined;
  /** Takes the output of set-up. */
  readonly outputs: string;
  readonly onSetup: (event: { readonly place: string; readonly command: string } | { readonly line: string }) => void;
  readonly notice: (text: string) => void;
  readonly stop: AbortSignal;
  readonly kill: AbortSignal;
}

export interface PlaceSettings {
  /** A command, `none`, or null for "by lock file". */
  readonly setup: string | null;
  readonly setupMs: number;
  readonly env: Readonly<Record<string, string>>;
  /** Patterns of ignored files that the room keeps. */
  readonly keep: readonly string[];
  /** Lines for `.worktreeinclude` that are not in it: somebody tries whether they help. */
  readonly include?: readonly string[] | undefined;
}

/** A place with its environment, ready for programs. */
interface Furnished {
  readonly place: Place;
  readonly root: string;
  readonly env: Environment;
  /** Its `TMPDIR`. */
  readonly tmp: string;
  readonly row: ReturnType<typeof openRow>;
  readonly close: () => Promise<void>;
}

/** An agent finds the files of its last attempt, ignored ones too, as changes on top of the landing. */
const AS_LEFT = { removesIgnored: false, isUnstaged: true, mayDiffer: true } as const;

/** Opens a lane. Set-up that fails is an error of the lane, never an attempt of a task (L-04). */
export async function openLane(
  request: PlacesRequest,
  number = 1,
): Promise<Lane & { readonly close: () => Promise<void> }> {
  const { place, root, env, row, close } = await furnish(request, number);
  let begunOn: Start | undefined;
  const begin = async (start: Start, task?: string) => {
    await mendPlace(place);
    row.begin(task);
    begunOn = start;
    const begun = await resetPlace(place, { ...start, ...AS_LEFT });
    const { result, ran } = await setUp(request, { place, env });
    if (result?.passed === false) throw setupError(`lane ${place.name}`, result);
    return ran ? await resetPlace(place, { ...start, ...AS_LEFT }) : begun;
  };
  const collect: Lane["collect"] = async (early) => {
    const found = await early?.catch(() => undefined); // it may have looked at a place that was damaged
    const look = (await mendPlace(place)) || found === undefined ? undefined : Promise.resolve(found);
    if (begunOn === undefined || isOwnFolder(place.repository)) {
      const { now } = await collectPlace(place, look);
      const tips = begunOn && (await saveTips(place.repository, place.name));
      if (tips !== undefined) request.notice(`Commits that the session left on other branches or in a stash: ${tips}`);
      return now;
    }
    const lost = await saveForeignContent(place.repository, place.name);
    const saved = lost === undefined ? "" : `; what was in its place is saved as ${lost}`;
    request.notice(`${place.folder} was removed or replaced during the session, so its changes are lost${saved}`);
    emptyPlace(place.repository);
    return { ...(await resetPlace(place, { ...begunOn, ...AS_LEFT })), isGone: true };
  };
  const release = (): Promise<void> => Promise.resolve(); // the clone is not the person's
  const end = async (): Promise<void> => {
    await dropProving(place.home, keptAs(number));
    await close();
  };
  const { folder, repository } = place;
  return { number, folder, root, repository, env, begin, collect, release, close: end };
}

/** Opens a room. */
export async function openRoom(
  request: PlacesRequest,
  number = 1,
): Promise<Room & { readonly close: () => Promise<void> }> {
  const { place, root, env, tmp, close } = await furnish(request, roomName(number));
  const enter: Room["enter"] = async (start, use = {}): Promise<EnteredRoom> => {
    const { isIdle = false, stop = request.stop, lane: other = join(request.parent, "1") } = use;
    const reset = async (more: { readonly isIdle?: boolean } = {}) => {
      const keep = [...(await setupProducts(stateFile(place))), ...request.settings.keep];
      await resetPlace(place, { ...start, ...more, removesIgnored: { keep }, other });
    };
    await emptyLaneTmp(tmp);
    await reset({ isIdle });
    const { keep } = request.settings;
    const { result, ran, prepared } = await setUp({ ...request, stop }, { place, env, keep });
    if (ran && result?.passed !== false) await reset();
    const putBack = async () => await resetPlace(place, { ...start, removesIgnored: false });
    const files = roomFiles(place.repository, { start, entered: place.known.last!, putBack });
    return { root, env, setup: result, prepared, files };
  };
  return { enter, close };
}

/**
 * T-02: for gates that cannot run elsewhere, the lane is the room. Its files are normally those of the tree already.
 * `isTheirs`: files of a lent tree that the person may edit meanwhile.
 */
export const laneAsRoom = (lane: Lane, isTheirs: (path: string) => boolean): Room => ({
  isLane: true,
  enter: async (start) => {
    const entered = await lane.begin(start);
    const putBack = async () => await lane.begin(start);
    const all = roomFiles(lane.repository, { start, entered, putBack });
    const files = { ...all, changes: async () => (await all.changes()).filter(({ path }) => !isTheirs(path)) };
    // Ignored files count too, so a proof holds for this time only.
    return { root: lane.root, env: lane.env, setup: undefined, prepared: randomUuid(), files };
  },
});

interface Entered {
  readonly start: Pick<Start, "tree">;
  readonly entered: Snapshot;
  readonly putBack?: () => Promise<unknown>;
}

/** Only a look that finds something costs more than one call of git. */
export const roomFiles = (repository: Repository, { start, entered, putBack }: Entered): RoomFiles => ({
  changes: async () => await changesBetween(repository, entered, await snapshot(repository, entered)),
  treeWith: async (changes) => await treeWith(repository, start.tree, changes),
  ...(putBack && { putBack }),
});

async function furnish(request: PlacesRequest, lane: LaneName): Promise<Furnished> {
  const { home, parent, head, branch, settings, notice } = request;
  const name = String(lane);
  await makeFolder(parent, { isPrivate: true });
  const before = await readRow(join(parent, name));
  const row = openRow(join(parent, name), request.run);
  const place = await openPlace(home, { name, parent, head, branch, truth: request.truth?.() });
  const left = place.isFresh ? undefined : before?.left;
  const lost = left === undefined ? place.lost : await saveAddedFiles(place.repository, name, left);
  if (lost !== undefined) notice(`Files in ${place.folder} that ralphctl did not leave there are saved as ${lost}`);
  const spellings = folderSpellings(home.folder, request.env);
  const [tmp, port] = await Promise.all([newLaneTmp(), freeBlock(lane)]);
  const about = { env: request.env, lane, folder: place.folder, home: spellings, tmp, port, extra: settings.env };
  const { env, leading } = laneEnv(about);
  if (leading.length > 0) {
    notice(`These variables still lead into your working tree: ${leading.join(", ")}`);
  }
  const close = async (): Promise<void> => {
    const now = typeof lane !== "number" ? undefined : await snapshot(place.repository).catch(() => undefined); // it may be gone
    await removeAll(tmp);
    row.end(now?.tree);
  };
  const root = join(place.folder, relative(home.folder, request.root));
  return { place, root, env: { ...env, RALPHCTL_WORKSPACE: root }, tmp, row, close };
}

const stateFile = ({ folder }: Place): string => `${folder}.setup.json`;

interface SetUp {
  /** Undefined if nothing ran. */
  readonly result: GateResult | undefined;
  readonly ran: boolean;
  readonly prepared: string;
}

async function setUp(
  request: PlacesRequest,
  { place, env, keep }: Pick<Furnished, "place" | "env"> & { readonly keep?: readonly string[] },
): Promise<SetUp> {
  const { home, settings, outputs, onSetup, stop, kill, marker } = request;
  let command = "";
  const startedAt = performance.now();
  const outputFile = join(outputs, `setup-${place.name}.log`);
  const done = await prepare({
    home,
    place: { view: place.repository, stateFile: stateFile(place) },
    workspace: relative(home.folder, request.root),
    setting: settings.setup,
    include: settings.include,
    included: request.included,
    keep,
    env,
    foreign: [...folderSpellings(home.folder, request.env), dirname(place.folder)],
    // Other lanes may be set up at the same time.
    marker: { ...marker, value: `${marker.value}.${place.name}` },
    box: request.box,
    timeoutMs: settings.setupMs,
    outputFile,
    onStart: (started) => {
      command = started;
      onSetup({ place: place.name, command });
    },
    onLine: (line) => onSetup({ line }),
    signal: stop,
    kill,
  });
  if (done.kind === "ready") for (const text of done.notices) request.notice(text);
  if (done.kind === "ready" && !done.ran) return { result: undefined, ran: false, prepared: done.fingerprint };
  const gate: Gate = { id: "setup", kind: "workspace", run: command, timeoutMs: settings.setupMs, retries: 0 };
  const durationMs = Math.round(performance.now() - startedAt);
  const text = done.kind === "failed" ? `${done.output}\n${done.why}`.trimStart() : "";
  const output = { head: text, tail: "", file: outputFile, bytes: text.length };
  const end =
    done.kind === "stopped" ? STOPPED : done.kind === "failed" ? done.end : { kind: "exit" as const, code: 0 };
  const result: GateResult = { gate, passed: done.kind === "ready", runs: [{ end, durationMs, swept: 0, output }] };
  return { result, ran: true, prepared: done.kind === "ready" ? done.fingerprint : "" };
}

const STOPPED = { kind: "stopped" } as const;

export function setupError(place: string, { gate, runs }: GateResult): RalphError {
  const output = runs.at(-1)?.output.head.trim() ?? "";
  const said = output === "" ? "" : `:\n${output.slice(-2000)}`;
  return new RalphError("config", `Set-up of ${place} failed: ${gate.run}${said}`, {
    hint: "Set lanes.setup to the command that prepares a fresh clone, or to none",
  });
}
