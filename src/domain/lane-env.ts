import { type Environment, FLEET_VARIABLE } from "./environment.ts";
import { GIT_PLACE_VARIABLES } from "./git-variables.ts";

/** A lane by its number, or a room. */
export type LaneName = number | RoomName;

/** L-10: rooms beyond the first are there if several proofs run at once. */
export type RoomName = "room" | `room-${number}`;

export const roomName = (number: number): RoomName => (number === 1 ? "room" : `room-${number}`);

/** The number of a room; undefined for a lane. */
export function roomNumber(name: LaneName): number | undefined {
  if (typeof name === "number") return undefined;
  return name === "room" ? 1 : Number(name.slice("room-".length));
}

/** The place that a folder is named after. */
export const placeOf = (folder: string): LaneName =>
  folder.startsWith("room") ? (folder as RoomName) : Number(folder);

/** `lane 1`, `the room` or `room 2`. */
export function placeText(name: LaneName): string {
  if (typeof name === "number") return `lane ${name}`;
  return name === "room" ? "the room" : `room ${roomNumber(name)}`;
}

export interface LaneEnvRequest {
  /** The environment of ralphctl itself. */
  readonly env: Environment;
  readonly lane: LaneName;
  /** The files of the place, absolute. */
  readonly folder: string;
  /** The person's working tree, in every spelling: a link or a mount gives one folder several. */
  readonly home: readonly [string, ...string[]];
  /** Its own folder for temporary files. */
  readonly tmp: string;
  /** The first of its ports. */
  readonly port: number;
  /** The variables of `lanes.env`. */
  readonly extra: Readonly<Record<string, string>>;
}

export interface LaneEnv {
  /** All variables; undefined where one of ralphctl's own must not reach the lane. */
  readonly env: Record<string, string | undefined>;
  /** The names of variables that led into the person's tree and now lead into the place. */
  readonly rewritten: readonly string[];
  /** The names of variables that still lead into the person's tree. Not their values: these may be secret. */
  readonly leading: readonly string[];
}

/** L-06: the environment of a lane or the room. Nothing in it leads into the person's tree, unless it says so. */
export function laneEnv(request: LaneEnvRequest): LaneEnv {
  const { env, home, folder, extra } = request;
  const own = ownVariables(request);
  // The home folder of a user may be a repository. Programs of all kinds are installed there, and only there.
  const isUsersFolder = home.some((root) => isBelow(root, env["HOME"] ?? ""));
  const moved = isUsersFolder ? {} : movedVariables(env, { home, folder });
  const result = { ...env, ...moved, ...own, ...filled(extra, request) };
  return {
    env: result,
    rewritten: Object.keys(moved).filter((name) => result[name] === moved[name]),
    leading: Object.entries(result)
      .filter(([name, value]) => !isKept(name) && value !== undefined && plainList(value).search(namesOf(home)) >= 0)
      .map(([name]) => name),
  };
}

function ownVariables({ lane, folder, home, tmp, port, env }: LaneEnvRequest): Record<string, string | undefined> {
  const unset = [...GIT_PLACE_VARIABLES, "OLDPWD", FLEET_VARIABLE].filter((name) => env[name] !== undefined);
  return {
    ...Object.fromEntries(unset.map((name) => [name, undefined])),
    PWD: folder,
    RALPHCTL_LANE: String(lane),
    RALPHCTL_PORT: String(port),
    TMPDIR: tmp,
    TMP: tmp,
    TEMP: tmp,
    COMPOSE_PROJECT_NAME: composeName(home[0], lane),
  };
}

/** Compose takes small letters, digits, `-` and `_`, and a letter or digit first. */
function composeName(home: string, lane: LaneName): string {
  const repository = home
    .slice(home.lastIndexOf("/") + 1)
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, "-")
    .replace(/^[-_]+/, "");
  return `${repository === "" ? "repository" : repository}-${typeof lane === "number" ? `lane-${lane}` : lane}`;
}

/** Other text in braces stays: a value may well be JSON. */
const filled = (
  extra: LaneEnvRequest["extra"],
  { lane, port }: Pick<LaneEnvRequest, "lane" | "port">,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(extra).map(([name, value]) => [
      name,
      value
        .replaceAll("{lane}", String(lane))
        .replaceAll(/\{port(?:\+(\d{1,4}))?\}/g, (_, step: string | undefined) => String(port + Number(step ?? 0))),
    ]),
  );

/** Our own variables say where the person's tree is, and HOME is where the user's settings are. */
const isKept = (name: string): boolean => name.startsWith("RALPHCTL_") || name === "HOME";

/** The variables that name the person's tree, with the place in its stead. */
function movedVariables(env: Environment, { home, folder }: Pick<LaneEnvRequest, "home" | "folder">) {
  const names = namesOf(home);
  const moved: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || isKept(name)) continue;
    const plain = plainList(value);
    const now = plain.replace(names, () => folder);
    if (now !== plain) moved[name] = now;
  }
  return moved;
}

/**
 * Finds the person's tree as a path or as the beginning of one: alone, in a list, after `-I` or `file://`. Not as part of
 * a longer path (`/mnt/home/me/project`), and not as part of a longer name (`/home/me/project-2`).
 */
function namesOf(home: readonly string[]): RegExp {
  const spellings = home.map((path) => path.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join("|");
  // The path is looked for first: to look behind at each character would take quadratic time.
  return new RegExp(`(?=${spellings})(?:(?<=:/{2,3})|(?<!/[^\\s:;,="'(]*))(?:${spellings})(?=$|[\\s:;,"')/])`, "g");
}

const plainList = (value: string): string => value.split(":").map(plainPath).join(":");

/** A path without `.`, `..` and doubled slashes; other text as it is. */
function plainPath(text: string): string {
  if (!/^\/(?!\/).*(?:\/\/|\/\.\.?(?:\/|$))/.test(text)) return text;
  const steps: string[] = [];
  for (const step of text.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(step);
  }
  return `/${steps.join("/")}`;
}

const isBelow = (root: string, path: string): boolean => path === root || path.startsWith(`${root}/`);
