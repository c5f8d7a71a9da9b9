import { join } from "node:path";
import { TOOL_FOLDERS } from "../domain/build-output.ts";
import { RalphError } from "../domain/error.ts";
import { isInternalPath } from "../domain/internal-paths.ts";
import { formatSize } from "../domain/size.ts";
import { fileState } from "../system/copy-file.ts";
import { mustBytes, type GitPlace } from "../system/git/git.ts";
import { decodePath, splitNul } from "../system/git/path.ts";
import { readTextFile } from "../system/text-file.ts";

export interface IncludedFiles {
  /** Relative to the top of the working tree. */
  readonly files: readonly string[];
  /** Sentences about files that match but cannot be copied. */
  readonly notices: readonly string[];
}

export const INCLUDE = ".worktreeinclude";
const MAX_FILES = 1000;
const MAX_BYTES = 100 * 1024 * 1024;
/** Paths in the arguments of one git. */
const MAX_ARGUMENTS = 64 * 1024;

/**
 * L-04: the ignored files of the person's tree that `.worktreeinclude` names, by the rules of a `.gitignore`. `more`: lines
 * that are not in it yet.
 */
export async function includedFiles(home: GitPlace, more: readonly string[] = []): Promise<IncludedFiles> {
  const text = await readInclude(home);
  if (text === undefined && more.length === 0) return { files: [], notices: [] };
  const isMade = madeByTools([text ?? "", ...more].join("\n"));
  const rules = [
    ...(text === undefined ? [] : [`--exclude-from=${INCLUDE}`]),
    ...more.map((line) => `--exclude=${line}`),
  ];
  const ignored = await listed(home, ["--exclude-standard", "--directory"]);
  const matching: string[] = [];
  for (const paths of inPieces(ignored.filter((path) => !isMade(path) && !isInternalPath(path)))) {
    matching.push(...(await listed(home, [...rules, "--", ...paths])));
  }
  const wanted = matching.filter((path) => !isMade(path) && !isInternalPath(path));
  const states = wanted.map((path) => ({ path, state: fileState(home, path) }));
  const files = states.flatMap(({ path, state }) => (state?.kind === "file" ? [path] : []));
  const bytes = states.reduce((sum, { state }) => sum + (state?.kind === "file" ? state.bytes : 0), 0);
  if (files.length > MAX_FILES || bytes > MAX_BYTES) throw tooMuch(files.length, bytes);
  const notices = states.flatMap(({ path, state }) =>
    state?.kind === "link" ? [`${path} is not copied into lanes: it is a symbolic link`] : [],
  );
  return { files, notices };
}

const readInclude = async (home: GitPlace): Promise<string | undefined> =>
  await readTextFile(join(home.folder, INCLUDE), { limitBytes: 1024 * 1024, what: INCLUDE });

/** The lines of `.worktreeinclude` that name no ignored file. Patterns with wildcards may well match nothing. */
export async function unmatchedIncludes(home: GitPlace): Promise<string[]> {
  const lines = ((await readInclude(home)) ?? "").split(/\r?\n/).map((line) => line.trim());
  const names = lines.filter((line) => line !== "" && !/^[#!]|[*?[\\]/.test(line));
  if (names.length === 0) return [];
  const { files } = await includedFiles(home);
  return names.filter((name) => {
    const path = name.replace(/^\//, "").replace(/\/$/, "");
    const isAnchored = path !== name.replace(/\/$/, "") || path.includes("/");
    return !files.some(
      (file) => `/${file}/`.includes(`/${path}/`) && (!isAnchored || `${file}/`.startsWith(`${path}/`)),
    );
  });
}

const tooMuch = (count: number, bytes: number): RalphError =>
  new RalphError(
    "config",
    `${INCLUDE} matches ${count} files with ${formatSize(bytes)}: too much to copy into a lane`,
    {
      hint: `Name single files in ${INCLUDE}, and make the rest with lanes.setup`,
    },
  );

/** Ignored paths that are not in git's index; those of a folder only if it is not ignored as a whole. */
async function listed(home: GitPlace, args: readonly string[]): Promise<string[]> {
  const answer = await mustBytes(home, ["ls-files", "-z", "--others", "--ignored", ...args]);
  return splitNul(answer.stdout).map(decodePath);
}

/**
 * Whether a path lies in a folder that tools make, unless a pattern names that folder. A lane makes its own: a copied
 * `.venv` would import the person's files.
 */
export function madeByTools(text: string): (path: string) => boolean {
  const named = new Set(text.split(/[\r\n/]+/).map((step) => step.trim()));
  return (path) => path.split("/").some((step) => TOOL_FOLDERS.has(step) && !named.has(step));
}

function* inPieces(paths: readonly string[]): Generator<string[]> {
  let piece: string[] = [];
  let length = 0;
  for (const path of paths) {
    if (piece.length > 0 && length + path.length > MAX_ARGUMENTS) {
      yield piece;
      piece = [];
      length = 0;
    }
    piece.push(path);
    length += path.length + 1;
  }
  if (piece.length > 0) yield piece;
}
