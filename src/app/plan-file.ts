import { join, posix, relative, resolve, sep } from "node:path";
import { RalphError } from "../domain/error.ts";
import * as formats from "../plan/index.ts";
import { type MarkChange, PlanError, type PlanFormat } from "../plan/plan.ts";
import { checkInside, replaceText } from "../system/folder.ts";
import { gitFolder } from "../system/git/folder.ts";
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

/** Every name that `--format` takes. */
export const formatNames = (): string[] => ["jsonl", ...planFormats.map(({ name }) => name)];

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
  return text.from === text.to ? "written" : await replaceText(path, text);
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
