import { namesInLine } from "../domain/verdict-report.ts";
import { join, relative } from "node:path";
import { laneEnv } from "../domain/lane-env.ts";
import type { Environment } from "../domain/environment.ts";
import type { GateResult } from "../domain/gate.ts";
import { fileState } from "../system/copy-file.ts";
import { folderSize } from "../system/folder-size.ts";
import { folderSpellings } from "../system/folder-spellings.ts";
import { kindOf } from "../system/folder.ts";
import { ignoredEntries } from "../system/git/git.ts";
import type { Repository } from "../system/git/repository.ts";
import { INCLUDE, includedFiles, madeByTools } from "./included-files.ts";
import type { PlaceSettings } from "./open-places.ts";
import { proposedSetup } from "./proposed-setup.ts";

/** Lines that a person may write, so that gates pass in a fresh checkout. */
export interface RoomLines {
  /** For `.worktreeinclude`. */
  readonly include: readonly string[];
  /** For `lanes.setup`. */
  readonly setup: string | undefined;
  /** For `lanes.keep`: caches, without which gates are slow. */
  readonly keep: readonly string[];
  /** Work and prove in the person's own tree: `lanes.inPlace` and `verify.in`. */
  readonly isInPlace: boolean;
}

export const NO_LINES: RoomLines = { include: [], setup: undefined, keep: [], isInPlace: false };

/** The last resort. */
export const IN_PLACE: RoomLines = { ...NO_LINES, isInPlace: true };

export const hasLines = ({ include, setup, keep, isInPlace }: RoomLines): boolean =>
  include.length > 0 || setup !== undefined || keep.length > 0 || isInPlace;

export interface AdviceRequest {
  readonly home: Repository;
  /** The person's workspace. */
  readonly root: string;
  /** The environment of programs in the person's tree. */
  readonly env: Environment;
  readonly settings: Pick<PlaceSettings, "setup" | "keep">;
  /** The gates that pass in the person's tree, as they failed in the room. */
  readonly red: readonly GateResult[];
  /** Set-up, if that failed in the room: then no gate ran there. */
  readonly setup?: GateResult | undefined;
}

/** Why gates pass in the person's tree and not in the room, as far as files and variables tell. */
export interface RoomDifference {
  /** The gates. */
  readonly gates: readonly string[];
  /** The command of set-up, if that failed. */
  readonly failedSetup: string | undefined;
  /** Ignored files and folders of the person's tree that the room does not have. */
  readonly missing: readonly string[];
  /** The names of variables that lead into the person's tree. */
  readonly variables: readonly string[];
  readonly lines: RoomLines;
}

/** L-21: finds what differs, and proposes lines for it. Starts no program but git. */
export async function findDifference(request: AdviceRequest): Promise<RoomDifference> {
  const { home, root, settings, red, setup } = request;
  const included = new Set((await includedFiles(home)).files);
  const missing = (await missingEntries(home)).filter((path) => !included.has(path));
  const inRoot = relative(home.folder, root);
  const here = new Set(missing.map((path) => withoutSlash(path)));
  const isIgnored = (path: string): boolean => here.has(join(inRoot, path));
  const command =
    settings.setup === null ? await proposedSetup({ root, isIgnored, hasFailed: setup !== undefined }) : undefined;
  return {
    gates: red.map(({ gate }) => gate.id),
    failedSetup: setup?.gate.run,
    missing,
    variables: leadingVariables(request),
    lines: {
      include: await proposedFiles(home, missing, outputsOf(red)),
      setup: command,
      keep: await proposedCaches(request, missing),
      isInPlace: false,
    },
  };
}

/** The caches of tools that check by themselves whether an entry is still right, and the file that tells of the tool. */
const CACHES = [
  ["target", "Cargo.toml"],
  [".mypy_cache", "."],
] as const;

/** The caches that the room should keep: without them every proof begins from nothing. */
export async function proposedCaches(
  { home, root, settings }: Pick<AdviceRequest, "home" | "root" | "settings">,
  missing?: readonly string[],
): Promise<string[]> {
  const here = missing ?? (await missingEntries(home));
  const inRoot = relative(home.folder, root);
  const caches: string[] = [];
  for (const [folder, sign] of CACHES) {
    const path = `${join(inRoot, folder)}/`;
    const isThere = here.includes(path) && (await kindOf(join(root, sign))) !== undefined;
    if (isThere && !settings.keep.some((pattern) => withoutSlash(pattern) === folder)) caches.push(path);
  }
  return caches;
}

/** Git names a folder of nothing but ignored files, and then its files too. */
async function missingEntries(home: Repository): Promise<string[]> {
  const entries = await ignoredEntries(home);
  return entries.filter((path) => !path.endsWith("/") || !entries.some((one) => one !== path && one.startsWith(path)));
}

const withoutSlash = (path: string): string => path.replace(/^\//, "").replace(/\/$/, "");

const MOST_FILES = 20;
const MOST_BYTES = 256 * 1024;
/** Text that people write, by its usual names. */
const SETTINGS =
  /(?:^|\/)\.?(?:env|npmrc|yarnrc|netrc|pypirc)(?:\.[^/]*)?$|\.(?:env|json|jsonc|json5|ya?ml|toml|ini|cfg|conf|config|properties|xml|pem|key|crt|cer|local|secret|txt)$|\blocal\b/i;
const NOISE =
  /\.(?:log|pid|tmp|swp|bak|lock|tsbuildinfo)$|(?:^|\/)(?:\.DS_Store|\.eslintcache|\.coverage|coverage\.\w+)$/i;

/** Small ignored files that look as if a person wrote them: those that a failing gate names, or else all. */
async function proposedFiles(home: Repository, missing: readonly string[], output: string): Promise<string[]> {
  const isMade = madeByTools("");
  const candidates: string[] = [];
  for (const path of missing) {
    if (isMade(withoutSlash(path)) || NOISE.test(path)) continue;
    if (path.endsWith("/") ? await isSmallFolder(home, path) : isSmallFile(home, path)) candidates.push(path);
  }
  const named = candidates.filter((path) => output.includes(withoutSlash(path)));
  const chosen = named.length > 0 ? named : candidates.filter((path) => path.endsWith("/") || SETTINGS.test(path));
  return chosen.slice(0, MOST_FILES).map(patternOf);
}

function isSmallFile(home: Repository, path: string): boolean {
  const state = fileState(home, path);
  return state?.kind === "file" && state.bytes <= MOST_BYTES;
}

async function isSmallFolder(home: Repository, path: string): Promise<boolean> {
  if (fileState(home, withoutSlash(path))?.kind === "link") return false;
  const { bytes, isAll } = await folderSize(join(home.folder, path), MOST_FILES);
  return isAll && bytes <= 2 * MOST_BYTES;
}

/** As a line of a `.gitignore`. */
const patternOf = (path: string): string => path.replaceAll(/[\\*?[ ]|^[#!]/g, String.raw`\$&`);

const outputsOf = (results: readonly GateResult[]): string =>
  results.flatMap(({ runs }) => runs.map(({ output }) => `${output.head}\n${output.tail}`)).join("\n");

/** Those that a place gets as they are, and those that lead into the place there, where the files may be missing. */
function leadingVariables({ home, env }: Pick<AdviceRequest, "home" | "env">): string[] {
  const spellings = folderSpellings(home.folder, env);
  const about = { env, lane: "room", folder: "/room", home: spellings, tmp: "/tmp", port: 0, extra: {} } as const;
  const { leading, rewritten } = laneEnv(about);
  return [...leading, ...rewritten].filter((name) => !["PATH", "PWD"].includes(name));
}

/** The finding as a sentence, and what to write: a run that refuses, `init` and `doctor --probe` say the same. */
export function describeDifference(difference: RoomDifference): { readonly message: string; readonly fix: string } {
  const { gates, failedSetup, missing, variables, lines } = difference;
  const sentences = [
    failedSetup === undefined
      ? `These gates pass in your working tree and fail in a fresh checkout: ${gates.join(", ")}`
      : `Set-up fails in a fresh checkout: ${failedSetup}. These gates pass in your working tree: ${gates.join(", ")}`,
    ...(missing.length === 0
      ? []
      : [`Git ignores these files, so a fresh checkout has none: ${namesInLine(missing, 10)}`]),
    ...(variables.length === 0 ? [] : [`These variables lead into your working tree: ${namesInLine(variables, 10)}`]),
  ];
  return { message: sentences.join(". "), fix: hasLines(lines) ? fixText(lines) : NO_IDEA };
}

const NO_IDEA = `Name the files that they need in ${INCLUDE}, or set lanes.setup; ralphctl doctor --probe tries it`;

const fixText = (lines: RoomLines): string =>
  describeLines(lines)
    .map(({ file, lines: all }) => `Add to ${file}: ${all.join(", ")}`)
    .join("; ");

/** The lines, and the file of each, as a person would write them. */
export function describeLines(lines: RoomLines): { readonly file: string; readonly lines: readonly string[] }[] {
  const settings = settingsOf(lines);
  return [
    ...(lines.include.length > 0 ? [{ file: INCLUDE, lines: lines.include }] : []),
    ...(settings.length > 0 ? [{ file: CONFIG, lines: settings.map(inOneLine) }] : []),
  ];
}

export const CONFIG = ".ralph/config.yaml";

/** The keys of one group of the configuration. */
export interface GroupSettings {
  readonly group: string;
  readonly values: Readonly<Record<string, unknown>>;
}

export function settingsOf({ setup, keep, isInPlace }: RoomLines): GroupSettings[] {
  const lanes = {
    ...(setup !== undefined && { setup }),
    ...(keep.length > 0 && { keep }),
    ...(isInPlace && { inPlace: true }),
  };
  return [
    ...(Object.keys(lanes).length > 0 ? [{ group: "lanes", values: lanes }] : []),
    ...(isInPlace ? [{ group: "verify", values: { in: "tree" } }] : []),
  ];
}

/** JSON is valid YAML. */
const inOneLine = ({ group, values }: GroupSettings): string => {
  const pairs = Object.entries(values).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `${group}: { ${pairs.join(", ")} }`;
};
