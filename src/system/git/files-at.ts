import { join } from "node:path";
import { textIn } from "../folder.ts";
import { gitFolder } from "./folder.ts";
import { gitBytes, type GitPlace } from "./git.ts";
import { decodePath, encodePath, splitNul } from "./path.ts";

/** Nothing is fetched: looking must not reach other hosts, nor start the programs that would. */
const OFFLINE = { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "" };

/** A file of a commit. */
export interface FileAt {
  readonly path: string;
  /** Undefined: it is too large, a link that leads nowhere, or not here yet. */
  readonly bytes: Buffer | undefined;
}

export interface FilesAsked {
  /** Refs; those that do not exist have no files. */
  readonly refs: readonly string[];
  /** Files, and folders for all files in them. Links within the commit are followed. */
  readonly paths: readonly string[];
  readonly limitBytes: number;
}

/** Files of several commits, by the ref. Most repositories have none of them, and one git tells that. */
export async function filesAt(
  place: GitPlace,
  { refs, paths, limitBytes }: FilesAsked,
): Promise<ReadonlyMap<string, readonly FileAt[]>> {
  // Answers are lines.
  const plain = paths.filter((path) => !path.includes("\n"));
  const strange = paths.filter((path) => path.includes("\n")).map((path) => ({ path, bytes: undefined }));
  const asked = refs.flatMap((ref) => plain.map((path) => ({ ref, path })));
  const answers = await look(
    place,
    asked.map(({ ref, path }) => `${ref}:${path}`),
  );
  const found = new Map<string, FileAt[]>(refs.map((ref) => [ref, strange]));
  for (const [at, { ref, path }] of asked.entries()) {
    const files = await filesOf(place, { name: `${ref}:${path}`, path, answer: answers[at]!, limitBytes });
    found.set(ref, [...found.get(ref)!, ...files]);
  }
  return found;
}

/** What git says about each: `HASH TYPE SIZE`, or why it has none. */
async function look(place: GitPlace, names: readonly string[]): Promise<string[]> {
  const words = ["cat-file", "--batch-check", "--follow-symlinks", "-z"];
  const stdin = Buffer.concat(names.map((name) => encodePath(`${name}\0`)));
  const { code, stdout } = await gitBytes(place, words, { stdin, env: OFFLINE });
  if (code !== 0) return names.map(() => MISSING);
  // An answer that is none of an object has its words in a line of their own.
  const lines = stdout.toString("latin1").split("\n");
  return names.map(() => {
    const line = lines.shift() ?? "";
    if (UNFOLLOWED.test(line)) lines.shift();
    return line;
  });
}

const MISSING = " missing";
const UNFOLLOWED = /^(?:dangling|symlink|loop|notdir) \d+$/;
/** A file is where the path needs a folder, so no program reads anything there. */
const NO_FOLDER = /^notdir \d+$/;
const OBJECT = /^([0-9a-f]{40,64}) (blob|tree) (\d+)$/;

interface Answered {
  /** As git was asked. */
  readonly name: string;
  readonly path: string;
  readonly answer: string;
  readonly limitBytes: number;
}

async function filesOf(place: GitPlace, { name, path, answer, limitBytes }: Answered): Promise<FileAt[]> {
  const [, hash = "", type, size] = OBJECT.exec(answer) ?? [];
  if (type === "tree") return await filesBelow(place, { path, hash, limitBytes });
  if (type === "blob") return [{ path, bytes: Number(size) > limitBytes ? undefined : await contentOf(place, hash) }];
  const isNone = NO_FOLDER.test(answer) || (answer.endsWith(MISSING) && !(await isPromised(place, name)));
  return isNone ? [] : [{ path, bytes: undefined }];
}

/** Whether the commit has it, and its content is elsewhere, as in a partial clone. */
async function isPromised({ folder, ...place }: GitPlace, name: string): Promise<boolean> {
  if (textIn(join(gitFolder(folder)?.common ?? folder, "config"))?.includes("promisor") !== true) return false;
  const words = ["rev-parse", "--verify", "--quiet", name];
  return (await gitBytes({ folder, ...place }, words, { env: OFFLINE })).code === 0;
}

async function filesBelow(
  place: GitPlace,
  { path, hash, limitBytes }: { readonly path: string; readonly hash: string; readonly limitBytes: number },
): Promise<FileAt[]> {
  const { stdout } = await gitBytes(place, ["ls-tree", "-r", "-l", "-z", hash], { env: OFFLINE });
  const files: FileAt[] = [];
  for (const field of splitNul(stdout)) {
    const tab = field.indexOf(0x09);
    const [mode = "", , blob = "", size] = field.toString("latin1", 0, tab).split(/ +/);
    const isSmall = mode.startsWith("100") && Number(size) <= limitBytes;
    const bytes = isSmall ? await contentOf(place, blob) : undefined;
    files.push({ path: `${path}/${decodePath(field.subarray(tab + 1))}`, bytes });
  }
  return files;
}

async function contentOf(place: GitPlace, hash: string): Promise<Buffer | undefined> {
  const { code, stdout } = await gitBytes(place, ["cat-file", "blob", hash], { env: OFFLINE });
  return code === 0 ? stdout : undefined;
}
