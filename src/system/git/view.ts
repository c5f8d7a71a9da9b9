import { copyFileSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathExists, textIn, writeAtomicUnsynced } from "../folder.ts";
import { ioError } from "../io-error.ts";
import { mayWriteObjects, ownIndex, settingsNow, type Repository } from "./repository.ts";

/**
 * Our view of a place: a small git directory that only we use. With it our git sees the place's files by the objects and
 * the configuration of `home`; the `.git` inside the place, which an agent can change, has no say. One that is there is
 * used again, with its HEAD; where it is missing or damaged it is made, at `head`.
 */
export async function openView(
  home: Repository,
  { folder, gitDir }: { readonly folder: string; readonly gitDir: string },
  head: string,
): Promise<Repository> {
  const view: Repository = {
    folder,
    env: home.env,
    gitDir,
    corrections: home.corrections,
    gitFolder: gitDir,
    commonFolder: home.commonFolder,
    objectFormat: home.objectFormat,
    hasFileMode: home.hasFileMode,
    hasLinks: home.hasLinks,
    trees: home.trees,
    files: home.files,
    parents: home.parents,
    ...(home.shells !== undefined && { shells: home.shells }),
    settings: "",
    config: home.config,
    writesObjects: mayWriteObjects(home),
    excludes: home.excludes,
    excludeFiles: home.excludeFiles,
    convertsAll: home.convertsAll || settingsNow(home) !== home.settings,
    pace: { lookMs: Infinity },
    warnings: [],
  };
  try {
    makeViewFolder(home, view, head);
  } catch (cause) {
    throw ioError(`write ${gitDir}`, cause);
  }
  return { ...view, settings: settingsNow(view) };
}

/** Makes a view again that a session removed or damaged, at `head` and without an index. False: it is whole. */
export function mendView(home: Repository, view: Repository, head: string): boolean {
  const { gitFolder } = view;
  const isWhole = textIn(join(gitFolder, "commondir")) === `${home.commonFolder}\n` && viewHead(view) !== undefined;
  if (isWhole) return false;
  try {
    rmSync(gitFolder, { recursive: true, force: true });
    makeViewFolder(home, view, head);
  } catch (cause) {
    throw ioError(`write ${gitFolder}`, cause);
  }
  return true;
}

/** Moves the HEAD of a view, detached. No file of the place changes, and neither does our index. */
export function setViewHead({ gitFolder }: Repository, commit: string): void {
  writeAtomicUnsynced(join(gitFolder, "HEAD"), `${commit}\n`);
}

/** The commit that HEAD of a view names; undefined where it names none. */
export function viewHead({ gitFolder, objectFormat }: Repository): string | undefined {
  const text = textIn(join(gitFolder, "HEAD"))?.trim() ?? "";
  return /^[0-9a-f]+$/.test(text) && text.length === (objectFormat === "sha1" ? 40 : 64) ? text : undefined;
}

function makeViewFolder(home: Repository, view: Repository, head: string): void {
  const { gitFolder } = view;
  if (lstatSync(gitFolder, { throwIfNoEntry: false })?.isDirectory() === false) rmSync(gitFolder);
  mkdirSync(join(gitFolder, "info"), { recursive: true });
  // A killed process of ours left them; only one of us uses a place at a time.
  const own = ownIndex(view);
  for (const name of readdirSync(gitFolder)) {
    const isDraft = join(gitFolder, name).startsWith(`${own}-`) || name.endsWith(".lock");
    if (isDraft) rmSync(join(gitFolder, name), { recursive: true, force: true });
  }
  const common = `${home.commonFolder}\n`;
  if (textIn(join(gitFolder, "commondir")) !== common) writeAtomicUnsynced(join(gitFolder, "commondir"), common);
  if (viewHead(view) === undefined) setViewHead(view, head);
  for (const name of ["info/sparse-checkout", "config.worktree"]) copyOrRemove(home, view, name);
  for (const { name, path } of filterFolders(home)) {
    if (!pathExists(join(gitFolder, name))) symlinkSync(path, join(gitFolder, name));
  }
}

/** What belongs to one working tree of a repository, and decides what is in it. */
function copyOrRemove(home: Repository, view: Repository, name: string): void {
  const [from, to] = [join(home.gitFolder, name), join(view.gitFolder, name)];
  if (pathExists(from)) copyFileSync(from, to);
  else rmSync(to, { force: true });
}

/** Filters look for their keys here, below the git directory that git names to them. */
export const filterFolders = ({ gitFolder, commonFolder }: Repository): { name: string; path: string }[] =>
  ["git-crypt", "crypt"].flatMap((name) => {
    const path = [gitFolder, commonFolder].map((folder) => join(folder, name)).find(pathExists);
    return path === undefined ? [] : [{ name, path }];
  });
