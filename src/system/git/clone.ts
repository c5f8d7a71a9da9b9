import {
  cpSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { RalphError } from "../../domain/error.ts";
import { ioError } from "../io-error.ts";
import { git, gitBytes, gitRefused, mustBytes, type GitPlace } from "./git.ts";
import { HUGE } from "./hash.ts";
import { type CloneTruth, readCloneTruth } from "./clone-config.ts";
import { borrowsObjects, keepObjects, keptObjects } from "./clone-objects.ts";
import { quotePath } from "./path.ts";
import { refInFiles } from "./ref-files.ts";
import { ownIndex, QUIET, withIndex, type Repository } from "./repository.ts";
import { nameTree } from "./tree.ts";
import { filterFolders } from "./view.ts";

/** Where the HEAD of a clone is; without a branch it is detached. */
export interface CloneHead {
  readonly commit: string;
  readonly branch: string | undefined;
}

const OLDEST_GIT = [2, 38] as const;

/** By PATH: one git has one version. */
const checked = new Set<string | undefined>();

/** L-02: older versions of git cannot merge without a working tree. */
export async function checkGitVersion(place: GitPlace): Promise<void> {
  const { PATH } = place.env;
  if (checked.has(PATH)) return;
  const { stdout } = await git({ ...place, folder: "/", gitDir: undefined }, ["version"]);
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(stdout) ?? [];
  const [oldestMajor, oldestMinor] = OLDEST_GIT;
  if (Number(major) > oldestMajor || (Number(major) === oldestMajor && Number(minor) >= oldestMinor))
    return void checked.add(PATH);
  throw new RalphError("config", `Lanes need git ${OLDEST_GIT.join(".")} or newer, and this is ${stdout.trim()}`, {
    hint: "Update git: lanes use git merge-tree --write-tree",
  });
}

/** What the clones of a repository say about it. Refused if git is too old to make them. */
export async function readTruth(home: Repository, head: string): Promise<CloneTruth> {
  // Each place would read the tree.
  const [truth] = await Promise.all([readCloneTruth(home), checkGitVersion(home), nameTree(home, head, [])]);
  return truth;
}

/**
 * L-02: a clone of `home` without files, for the programs in a place. It borrows the objects, and has only those of its
 * own that programs in it make. `kept`: hard links to them, so that it survives whatever happens to those of `home`; what
 * `home` gets later it sees without a fetch. They are not in the clone, in which programs may write: the files are those of
 * `home`.
 */
export async function makeClone(
  home: Repository,
  folder: string,
  { truth, kept, ...at }: CloneHead & { readonly truth: CloneTruth; readonly kept?: string | undefined },
): Promise<void> {
  await cloneInto(home, { folder, kept }, (draft) => writeGitFiles(join(draft, ".git"), { home, truth, kept, at }));
}

/**
 * Makes the `.git` of a place say what it should before a session: configuration, refs, HEAD and index are written anew,
 * everything else but objects is removed. No git runs in it, and nothing in it is trusted.
 */
export async function pointClone(folder: string, at: CloneHead & PointedFiles): Promise<void> {
  const { view } = at;
  const own = join(folder, ".git");
  const kept = keptObjects(view);
  if (![own, join(own, "objects"), kept].every(isFolder)) {
    const made = `${view.gitFolder}.clone`;
    await cloneInto(view, { folder: made, kept }, () => undefined);
    rmSync(own, { recursive: true, force: true });
    renameSync(join(made, ".git"), own);
    rmSync(made, { recursive: true, force: true });
  }
  try {
    writeGitFiles(own, { home: view, truth: readKeptTruth(view), kept, at });
    copyIndexTo(at.isUnstaged === true ? await unstagedIndex(view, at.commit) : ownIndex(view), join(own, "index"));
  } catch (cause) {
    throw ioError(`write ${own}`, cause);
  }
}

interface PointedFiles {
  readonly view: Repository;
  /** Files that differ from the commit are changes that nobody has staged. Otherwise, they are all staged. */
  readonly isUnstaged?: boolean;
}

/** Our index, moved to a commit: `git diff` shows what differs from it, and `git checkout` takes it back. */
async function unstagedIndex(view: Repository, commit: string): Promise<string> {
  const index = `${ownIndex(view)}-unstaged`;
  copyIndexTo(ownIndex(view), index);
  await mustBytes(view, [...QUIET, "read-tree", "--reset", commit], withIndex(index));
  return index;
}

/** The commit that HEAD of a clone names now; undefined where it names none. Read from its files: no git runs. */
export function cloneHead(folder: string): string | undefined {
  const own = join(folder, ".git");
  // Git keeps the repository of a submodule elsewhere.
  const elsewhere = isFolder(own) ? undefined : pointedFrom(own);
  const gitFolder = elsewhere === undefined ? own : resolve(folder, elsewhere);
  return refInFiles({ gitFolder, commonFolder: gitFolder }, "HEAD")?.object;
}

/** The folder that a `.git` file names. */
const pointedFrom = (file: string): string | undefined =>
  statSync(file, { throwIfNoEntry: false })?.isFile()
    ? /^gitdir: (.+)$/m.exec(readFileSync(file, "utf8"))?.[1]
    : undefined;

/**
 * Brings commits that were made in a clone into the object store of `home`, as far as its HEAD does not have them. No ref
 * is written. Our git reads the clone's objects only, never its configuration. False where an object is missing, or a file
 * is huge: then nothing but the files of the clone tells what its commits hold.
 */
export async function importCommits(home: Repository, folder: string, commit: string): Promise<boolean> {
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return false;
  const borrowed = { GIT_ALTERNATE_OBJECT_DIRECTORIES: quotePath(join(folder, ".git", "objects")) };
  const env = { ...borrowed, GIT_NO_REPLACE_OBJECTS: "1" };
  const filter = `--filter=blob:limit=${HUGE + 1n}`;
  const packing = [...QUIET, "pack-objects", "--quiet", "--revs", "--stdout", filter];
  const packed = await gitBytes(home, packing, { stdin: `${commit}\n^HEAD\n`, env });
  if (packed.code !== 0) return false;
  const unpacking = [...QUIET, "unpack-objects", "-q", "--strict"];
  if ((await gitBytes(home, unpacking, { stdin: packed.stdout })).code !== 0) return false;
  return (await gitBytes(home, ["cat-file", "-e", `${commit}^{commit}`])).code === 0;
}

/** Keeps what a clone's `.git` should say, beside our index. */
export function keepCloneTruth(view: Repository, { config, refs }: CloneTruth): void {
  for (const [name, text] of Object.entries({ [CONFIG]: config, [REFS]: refs })) {
    replaceFile(join(view.gitFolder, name), Buffer.from(text, "latin1"));
  }
}

export const hasCloneTruth = ({ gitFolder }: Repository): boolean =>
  [CONFIG, REFS].every((name) => statSync(join(gitFolder, name), { throwIfNoEntry: false })?.isFile());

const readKeptTruth = ({ gitFolder }: Repository): CloneTruth => ({
  config: readFileSync(join(gitFolder, CONFIG), "latin1"),
  refs: readFileSync(join(gitFolder, REFS), "latin1"),
});

const CONFIG = "clone-config";
const REFS = "clone-refs";

interface ClonePlace {
  readonly folder: string;
  readonly kept: string | undefined;
}

/** Clones beside the folder, and gives it its name when it is whole. */
async function cloneInto(
  home: Repository,
  { folder, kept }: ClonePlace,
  finish: (draft: string) => void,
): Promise<void> {
  const draft = `${folder}.draft`;
  rmSync(draft, { recursive: true, force: true });
  const isBorrowing = kept === undefined ? !borrowsObjects(home) : keepObjects(home, kept);
  if (isBorrowing) mkdirSync(join(draft, ".git/objects"), { recursive: true });
  else await copyInto(home, draft);
  finish(draft);
  rmSync(folder, { recursive: true, force: true });
  renameSync(draft, folder);
}

/** Has git copy the objects. */
async function copyInto(home: Repository, draft: string): Promise<void> {
  const settings = [...QUIET, "-c", "protocol.file.allow=always"];
  const words = ["--quiet", "--no-checkout", "--no-tags", "--no-reject-shallow", "--template="];
  const clone = ["clone", "--no-local", ...words, home.commonFolder, draft];
  const answer = await gitBytes({ folder: dirname(draft), env: home.env }, [...settings, ...clone]);
  if (answer.code === 0) return;
  rmSync(draft, { recursive: true, force: true });
  throw gitRefused(["clone"], answer);
}

/** Of a clone's `.git` only this may stay as the last session left it. */
const STAYS = new Set(["objects", "modules", "lfs"]);

interface GitFiles {
  /** Whose objects and whose `info` it has: the repository itself, or our view of it. */
  readonly home: Repository;
  readonly truth: CloneTruth;
  readonly kept: string | undefined;
  readonly at: CloneHead;
}

/** Everything but what stays is as it should be afterwards. Most of it is so already, and is not written again. */
function writeGitFiles(own: string, { home, truth, kept, at }: GitFiles): void {
  const borrowed = [...(kept === undefined ? [] : [kept]), join(home.commonFolder, "objects")];
  const alternates = borrowed.map((path) => `${/^["#]|\n/.test(path) ? quotePath(path) : path}\n`).join("");
  const head = at.branch === undefined ? at.commit : `ref: refs/heads/${at.branch}`;
  const files = new Map<string, Buffer | undefined>([
    ["config", Buffer.from(truth.config, "latin1")],
    ["packed-refs", Buffer.from(truth.refs, "latin1")],
    ["objects/info/alternates", Buffer.from(alternates)],
    ...["info/attributes", "info/exclude", "shallow"].map(
      (name) => [name, contentOf(home.commonFolder, name)] as const,
    ),
    ["info/sparse-checkout", contentOf(home.gitFolder, "info/sparse-checkout")],
    ...(at.branch === undefined ? [] : [[`refs/heads/${at.branch}`, Buffer.from(`${at.commit}\n`)] as const]),
    ["HEAD", Buffer.from(`${head}\n`)],
  ]);
  const wanted = [...files].flatMap(([path, content]) => (content === undefined ? [] : [path]));
  removeOthers(own, "", { wanted, folders: FOLDERS });
  for (const folder of [...FOLDERS, ...wanted.map((path) => dirname(path))]) makeFolders(own, folder);
  for (const [path, content] of files) if (content !== undefined) replaceFile(join(own, path), content);
  for (const { name, path } of filterFolders(home)) {
    cpSync(path, join(own, name), { recursive: true, dereference: true });
  }
}

/** Without them git sees no repository. */
const FOLDERS = ["refs/heads", "refs/tags", "info", "objects/info"];

interface Wanted {
  readonly wanted: readonly string[];
  readonly folders: readonly string[];
}

function removeOthers(own: string, above: string, kept: Wanted): void {
  const isOnTheWay = (path: string): boolean =>
    kept.folders.includes(path) || [...kept.wanted, ...kept.folders].some((one) => one.startsWith(`${path}/`));
  for (const entry of readdirSync(join(own, above), { withFileTypes: true })) {
    const path = above === "" ? entry.name : `${above}/${entry.name}`;
    if (STAYS.has(path) || kept.wanted.includes(path)) continue;
    if (entry.isDirectory() && isOnTheWay(path)) removeOthers(own, path, kept);
    else rmSync(join(own, path), { recursive: true, force: true });
  }
}

/** Undefined if there is no such file. */
const contentOf = (folder: string, name: string): Buffer | undefined =>
  statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() ? readFileSync(join(folder, name)) : undefined;

/** Makes folders one by one, each in the place of what is there and is none: a link would lead us elsewhere. */
function makeFolders(root: string, path: string): void {
  let folder = root;
  for (const name of path.split("/")) {
    folder = join(folder, name);
    if (isFolder(folder)) continue;
    rmSync(folder, { force: true });
    mkdirSync(folder);
  }
}

/** Writes a file under another name first: a link of that name is replaced and not followed. One that has it stays. */
function replaceFile(path: string, content: Buffer): void {
  if (hasContent(path, content)) return;
  const draft = `${path}.ralphctl`;
  rmSync(draft, { recursive: true, force: true });
  writeFileSync(draft, content, { flag: "wx" });
  if (isFolder(path)) rmSync(path, { recursive: true });
  renameSync(draft, path);
}

/** A file that has another name, too, could be written by that one. */
function hasContent(path: string, content: Buffer): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.nlink > 1 || found.size !== content.length) return false;
  try {
    return readFileSync(path).equals(content);
  } catch {
    return false; // somebody took the right to read it away
  }
}

function copyIfThere(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  if (statSync(from, { throwIfNoEntry: false })?.isFile()) copyFileSync(from, to);
}

/** With its age, as `copyIndex`. */
function copyIndexTo(from: string, to: string): void {
  const found = statSync(from, { throwIfNoEntry: false });
  copyIfThere(from, to);
  const seconds = Math.floor(found?.mtimeMs ?? 0) / 1000;
  if (found !== undefined) utimesSync(to, seconds, seconds);
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
