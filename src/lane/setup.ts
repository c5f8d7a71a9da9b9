import { join } from "node:path";
import type { Environment } from "../domain/environment.ts";
import type { SetupCommand } from "../gate/gate.ts";
import type { GateEnd, GateRun } from "../domain/gate.ts";
import { plainOutput } from "../domain/plain-output.ts";
import { describeEnd } from "../domain/verdict-report.ts";
import { copyFiles, fingerprintOf, isBehindLink, isSameFile, isThere } from "../system/copy-file.ts";
import { isBelow, removeAll, writeAtomic } from "../system/folder.ts";
import { followLines } from "../system/follow-lines.ts";
import { ignoredPaths, mustBytes, type GitPlace } from "../system/git/git.ts";
import { decodePath, splitNul } from "../system/git/path.ts";
import { removeIgnored } from "../system/git/place-files.ts";
import { ownIndex, withIndex, type Repository } from "../system/git/repository.ts";
import { leadsOut, type WayOut } from "../system/leads-out.ts";
import { lookAtProducts, removeFiles, type ProductsLook } from "../system/look-at-products.ts";
import type { MakeBox } from "../system/process/box.ts";
import type { Marker } from "../system/process/marker.ts";
import { runShell } from "../system/process/shell-command.ts";
import { readTextFile } from "../system/text-file.ts";
import { type IncludedFiles, includedFiles } from "./included-files.ts";
import { setupCommand } from "./setup-command.ts";

export interface SetupRequest {
  /** The person's working tree. */
  readonly home: GitPlace;
  readonly place: PlaceToSetUp;
  /** The folder of the workspace, relative to the top of the working tree; empty: the top itself. */
  readonly workspace: string;
  /** `lanes.setup`: a command, `none`, or null for "by lock file". */
  readonly setting: string | null;
  /** Lines for `.worktreeinclude` that are not in it. */
  readonly include?: readonly string[] | undefined;
  readonly included?: (() => IncludedFiles) | undefined;
  /**
   * Only in the room (L-21): set-up begins without ignored files, but for those of these patterns, and no program may have
   * changed its products since.
   */
  readonly keep?: readonly string[] | undefined;
  /** The environment of the place. */
  readonly env: Environment;
  /** The person's working tree, in every spelling, and the folder of all places: products must not lead there. */
  readonly foreign: readonly string[];
  /** The run's, by which processes that the command leaves behind are found. */
  readonly marker: Marker;
  /** Makes what stands around the command. */
  readonly box?: MakeBox | undefined;
  /** `limits.setup`. */
  readonly timeoutMs: number;
  /** Takes all output; if there is such a file already, one with a number. */
  readonly outputFile: string;
  /** Hears each line of the output while the command runs. */
  readonly onLine: (line: string) => void;
  readonly onStart?: (command: string) => void;
  readonly signal: AbortSignal;
  readonly kill?: AbortSignal | undefined;
}

export interface PlaceToSetUp {
  /** Our view of it: its files, with the objects and the configuration of the person's repository. */
  readonly view: Repository;
  /** The file beside it that says how it was set up. */
  readonly stateFile: string;
}

export type SetupResult =
  | {
      readonly kind: "ready";
      /** Whether a command ran. It may have changed tracked files: a reset afterwards takes that back. */
      readonly ran: boolean;
      /** The ignored paths that it made; a folder ends in a slash. A reset keeps them. */
      readonly products: readonly string[];
      /** Names command, lock files and included files: the same again means the same set-up. */
      readonly fingerprint: string;
      /** Sentences about included files that it did not copy now. */
      readonly notices: readonly string[];
    }
  | { readonly kind: "failed"; readonly end: GateEnd; readonly why: string; readonly output: string }
  | { readonly kind: "stopped" };

interface SetupState {
  readonly fingerprint: string;
  readonly products: readonly string[];
  /** The included files. */
  readonly copied: readonly string[];
  /** In the room: the products when set-up ended. */
  readonly look?: ProductsLook | undefined;
  /** The included files that set-up itself did not change. */
  readonly unchanged: readonly string[];
}

/**
 * L-04, L-05: copies the included files into a place and runs its set-up, if that was not done or would differ now. The
 * state is gone while it runs, so that one that was killed runs again.
 */
export async function prepare(request: SetupRequest): Promise<SetupResult> {
  const { home } = request;
  const { view, stateFile } = request.place;
  const root = join(view.folder, request.workspace);
  const setup = await setupCommand(root, request.setting);
  const included = request.included?.() ?? (await includedFiles(home, request.include));
  const fingerprint = fingerprintOf(
    [setup?.command ?? ""],
    [
      // An included one, such as `.npmrc`, may not be there yet.
      ...(setup?.files ?? [])
        .filter((path) => !included.files.includes(join(request.workspace, path)))
        .map((path) => ({ in: { folder: root }, path })),
      ...included.files.map((path) => ({ in: home, path })),
    ],
  );
  const before = await readState(stateFile);
  const isDone = before?.fingerprint === fingerprint && before.products.every((path) => isThere(view, path));
  const impure = isDone ? await purify(request, before) : undefined;
  if (isDone && impure === undefined) {
    return { kind: "ready", ran: false, products: before.products, fingerprint, notices: [] };
  }
  await removeAll(stateFile);
  // The reset before it kept nothing else.
  if (request.keep !== undefined && (before?.products.length ?? 0) > 0) await removeIgnored(view, request.keep);
  const { copied, left } = await copyIncluded(request, included.files, before?.copied ?? []);
  const run = setup && (await runSetup(setup, request, root));
  if (run?.end.kind === "stopped") return { kind: "stopped" };
  if (run !== undefined && !isPassed(run)) return failed(run);
  const products = run === undefined ? copied : await allIgnoredIn(view);
  // The home folder of a user may be a repository: programs of all kinds are installed there.
  const foreign = request.foreign.filter((folder) => !isBelow(folder, request.env["HOME"] ?? "/"));
  const ways = leadsOut(view.folder, products, foreign);
  if (ways.length > 0)
    return { kind: "failed", end: RED, why: "it leads out of the lane", output: ways.map(describeWay).join("\n") };
  const unchanged = copied.filter((path) => isSameFile(path, home, view));
  const look = request.keep && (await lookInRoom(view, { products, unchanged }, request.keep));
  const state: SetupState = { fingerprint, products, copied, look, unchanged };
  await writeAtomic(stateFile, `${JSON.stringify(state)}\n`);
  const notices = [...(impure ?? []), ...included.notices, ...left];
  return { kind: "ready", ran: run !== undefined, products, fingerprint, notices };
}

/**
 * T-01: takes back what gates did to the included files and to caches in the room. If they changed more, it says so: set-up
 * has to run again.
 */
async function purify(request: SetupRequest, state: SetupState): Promise<readonly string[] | undefined> {
  const { keep, home, place } = request;
  if (keep === undefined) return undefined;
  const now = await lookInRoom(place.view, state, keep);
  if (now?.name !== state.look?.name) {
    const what = now?.changed ?? "files that set-up made";
    return [`Set-up runs again in the room, because a gate changed ${what}; lanes.keep names files that may change`];
  }
  removeFiles(place.view, now?.caches ?? []);
  const damaged = state.unchanged.filter((path) => !isSameFile(path, home, place.view));
  for (const path of damaged) await removeAll(join(place.view.folder, path));
  await copyIncluded(request, damaged, []);
  return undefined;
}

/** Undefined if set-up made nothing that gates may not change. */
async function lookInRoom(
  view: Repository,
  { products, unchanged, look }: Pick<SetupState, "products" | "unchanged" | "look">,
  keep: readonly string[],
): Promise<Awaited<ReturnType<typeof lookAtProducts>> | undefined> {
  const paths = products.filter((path) => !unchanged.includes(path));
  if (paths.length === 0) return undefined;
  const kept =
    keep.length === 0
      ? []
      : await untrackedIn(
          view,
          keep.map((pattern) => `--exclude=${pattern}`),
        );
  return await lookAtProducts(view, { paths, except: [...unchanged, ...kept] }, look);
}

const RED: GateEnd = { kind: "exit", code: 1 };

const describeWay = ({ path, how, to }: WayOut): string => `${path}: ${how} to ${to}`;

/** What set-up made in a place, as patterns of a `.gitignore`, for a reset that comes before `prepare`. */
export const setupProducts = async (stateFile: string): Promise<readonly string[]> =>
  (await readState(stateFile))?.products.map(patternOf) ?? [];

/** From the top, and only that path. */
const patternOf = (path: string): string => `/${path.replaceAll(/[\\*?[ ]/g, String.raw`\$&`)}`;

/** Undefined where there is none that can be used: then the place is set up again. */
async function readState(stateFile: string): Promise<SetupState | undefined> {
  const text = await readTextFile(stateFile, { limitBytes: 10 * 1024 * 1024, what: stateFile });
  if (text === undefined) return undefined;
  try {
    const { fingerprint, products, copied, look, unchanged } = JSON.parse(text) as Record<string, unknown>;
    if (typeof fingerprint !== "string" || !isTexts(products) || !isTexts(copied) || !isTexts(unchanged))
      return undefined;
    return { fingerprint, products, copied, look: look as ProductsLook | undefined, unchanged };
  } catch {
    return undefined;
  }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

/**
 * Copies what git ignores in the place too. Otherwise a file of the person's, often with a secret in it, would become part of
 * the work, or hide a file of the tree. Files that are not included any more are removed.
 */
async function copyIncluded(
  { home, place: { view, stateFile } }: SetupRequest,
  files: readonly string[],
  earlier: readonly string[],
): Promise<{ readonly copied: readonly string[]; readonly left: readonly string[] }> {
  // Behind a link of the tree may be any folder, the person's own too.
  const reachable = [...new Set([...files, ...earlier])].filter((path) => !isBehindLink(view, path));
  const ignored = new Set(await ignoredIn(view, reachable));
  const copied = files.filter((path) => ignored.has(path));
  for (const path of earlier.filter((one) => ignored.has(one) && !files.includes(one))) {
    await removeAll(join(view.folder, path));
  }
  await copyFiles(copied, { from: home, to: view, drafts: `${stateFile}.copy` });
  const left = files.filter((path) => !ignored.has(path));
  return {
    copied,
    left: left.map((path) => `${path} is not copied into ${view.folder}: git does not ignore it there`),
  };
}

const ignoredIn = async (view: Repository, paths: readonly string[]): Promise<string[]> =>
  paths.length === 0 ? [] : await ignoredPaths(view, paths, withIndex(ownIndex(view)).env);

const allIgnoredIn = async (view: Repository): Promise<string[]> => await untrackedIn(view, ["--exclude-standard"]);

/** The ignored paths by these rules. */
async function untrackedIn(view: Repository, rules: readonly string[]): Promise<string[]> {
  const args = ["ls-files", "-z", "--others", "--ignored", "--directory", ...rules];
  return splitNul((await mustBytes(view, args, withIndex(ownIndex(view)))).stdout).map(decodePath);
}

async function runSetup({ command }: SetupCommand, request: SetupRequest, folder: string): Promise<GateRun> {
  const { env, marker, timeoutMs, outputFile, signal, kill, onLine } = request;
  let isOver = false;
  let shown = Promise.resolve();
  request.onStart?.(command);
  try {
    const onOutputFile = (file: string): void => void (shown = followLines(file, { onLine, isOver: () => isOver }));
    const box = await request.box?.({ cwd: folder, env });
    return await runShell({ command, folder, env, marker, timeoutMs, outputFile, onOutputFile, signal, kill, box });
  } finally {
    isOver = true;
    await shown;
  }
}

const isPassed = ({ end }: GateRun): boolean => end.kind === "exit" && end.code === 0;

function failed({ end, output }: GateRun): SetupResult {
  const shown = [output.head, output.tail].map((text) => plainOutput(text).trim()).filter((text) => text !== "");
  return { kind: "failed", end, why: describeEnd(end), output: shown.join("\n[…]\n") };
}
