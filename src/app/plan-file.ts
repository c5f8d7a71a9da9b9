import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { RalphError } from "../domain/error.ts";
import * as databases from "../foreign/index.ts";
import type { Marked } from "../loop/run-deps.ts";
import * as formats from "../plan/index.ts";
import { type MarkChange, PlanError, type PlanFormat } from "../plan/plan.ts";
import { checkInside, replaceText, writeAtomic } from "../system/folder.ts";
import { gitFolder } from "../system/git/folder.ts";
import { rebaseBegun } from "../system/git/unfinished-operation.ts";
import { readTextFile } from "../system/text-file.ts";

const LIMIT_BYTES = 10 * 1024 * 1024;

export const planFormats: readonly PlanFormat[] = Object.values(formats);

/** A plan file of a workspace. */
export interface PlanFile {
  /** As tasks name it: relative to the workspace, with `/`. */
  readonly name: string;
  readonly path: string;
  readonly format: PlanFormat;
}

export interface PlanFileRequest {
  readonly root: string;
  /** Relative to the workspace, or absolute. */
  readonly file: string;
  /** The name of a format; default: by the file's name. */
  readonly format?: string | undefined;
}

export function planFile({ root, file, format }: PlanFileRequest): PlanFile {
  const path = resolve(root, file);
  const name = posix.normalize(relative(root, path).split(sep).join("/"));
  const found = planFormats.find((one) => (format === undefined ? one.matches(name) : one.name === format));
  if (found) return { name, path, format: found };
  throw new RalphError("usage", format === undefined ? `No plan format matches ${name}` : `Unknown format ${format}`, {
    hint: `Choose one with --format: ${formatNames().join(", ")}`,
  });
}

/** The working tree that a workspace lies in, if it is not the first one of its repository. */
export function linkedTree(root: string): string | undefined {
  const git = gitFolder(root);
  return git === undefined || git.own === git.common ? undefined : git.top;
}

/** Every name of a format that can be imported. */
const formatNames = (): string[] =>
  ["jsonl", ...planFormats, ...Object.values(databases)].map((one) => (typeof one === "string" ? one : one.name));

/** The text with everything that is in it, byte order mark and line ends included; undefined when there is no file. */
export const readPlanText = ({ name, path }: PlanFile): Promise<string | undefined> =>
  readTextFile(path, { limitBytes: LIMIT_BYTES, what: `The plan file ${name}`, keepsByteOrderMark: true });

/** Refused for a path that leaves the workspace, also through a link (W-05). */
export const refuseOutside = (root: string, { path }: PlanFile): Promise<void> => checkInside(root, join(path));

/** `changed`: the file was written since it was read, so nothing was replaced. */
export async function replacePlanText(
  { path }: PlanFile,
  text: { readonly from: string; readonly to: string },
): Promise<"written" | "changed"> {
  if (text.from === text.to) return "written";
  const done = await listeners.get(path)?.(text);
  const git = gitFolder(dirname(path));
  const mayWrite = git === undefined ? undefined : await rebaseBegun({ gitFolder: git.own });
  const result = await replaceText(path, { ...text, ...(mayWrite && { mayWrite }) });
  if (result === "written") done?.();
  return result;
}

/** Writes a plan file that was not there. */
export async function newPlanText({ path }: PlanFile, text: string): Promise<void> {
  const done = await listeners.get(path)?.({ from: undefined, to: text });
  await writeAtomic(path, text);
  done?.();
}

type WriteListener = (text: { readonly from: string | undefined; readonly to: string }) => Promise<() => void>;

/** By the absolute path of the file: only one run at a time has a working tree. */
const listeners = new Map<string, WriteListener>();

/** Runs an action, and tells a listener before each write of these plan files. */
export async function whileWriting<Result>(
  files: ReadonlyMap<string, WriteListener>,
  action: () => Promise<Result>,
): Promise<Result> {
  for (const [path, listener] of files) listeners.set(path, listener);
  try {
    return await action();
  } finally {
    for (const path of files.keys()) listeners.delete(path);
  }
}

/** Writes all marks at once; if one fails, each on its own. */
export function writeMarks(
  { format }: PlanFile,
  text: string,
  marks: ReadonlyMap<string, MarkChange>,
): { text: string; problems: ReadonlyMap<string, string> } {
  const problems = new Map<string, string>();
  try {
    return { text: format.write(text, marks), problems };
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
  }
  let now = text;
  for (const [key, change] of marks) {
    try {
      now = format.write(now, new Map([[key, change]]));
    } catch (error) {
      if (!(error instanceof PlanError)) throw error;
      problems.set(key, error.message);
    }
  }
  return { text: now, problems };
}

/**
 * S003-04: the plan file keeps changing, so our version cannot be merged. The user's version stays in the file, ours is
 * saved elsewhere. Returns a sentence that says where.
 */
export async function saveConflictingPlan(root: string, { name }: PlanFile, text: string): Promise<string> {
  const path = join(root, ".ralph", "backup", "refused", name);
  await checkInside(root, path);
  await writeAtomic(path, text);
  return `${name} keeps changing, so your version stays; ralphctl's version is in ${relative(root, path)}`;
}

export const CONFLICT_HINT = "Stop the program that keeps writing it";

const TRIES = 5;

/** Retries while the file changes. If it keeps changing, the user's version stays and ours is saved. */
export async function rewritePlan(
  root: string,
  file: PlanFile,
  change: (text: string) => Promise<string>,
): Promise<Marked> {
  let ours = "";
  try {
    for (let left = TRIES; left > 0; left -= 1) {
      const from = await readPlanText(file);
      if (from === undefined) return NOT_MARKED;
      ours = await change(from);
      const isWritten = (await replacePlanText(file, { from, to: ours })) === "written";
      if (isWritten) return { hasChanged: ours !== from, problems: [] };
    }
  } catch (error) {
    if (error instanceof PlanError) return { hasChanged: false, problems: [`${file.name}: ${error.message}`] };
    if (error instanceof RalphError && error.kind === "data") return { hasChanged: false, problems: [error.message] };
    throw error;
  }
  return { hasChanged: false, problems: [await saveConflictingPlan(root, file, ours)] };
}

export const NOT_MARKED: Marked = { hasChanged: false, problems: [] };
