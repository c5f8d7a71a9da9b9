import { createHash } from "node:crypto";
import { lstatSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { ioError } from "./io-error.ts";
import { openFolders } from "./open-folders.ts";
import { startTimeOf } from "./process/process-identity.ts";

/** Does something in a folder of its own, which is gone afterwards. */
export async function inTemporaryFolder<Result>(
  name: string,
  action: (folder: string) => Promise<Result>,
): Promise<Result> {
  const path = await newTemporaryFolder(`${name}-${ownerTag(process.pid)}`);
  try {
    return await action(path);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

/** A short path that every Unix has. */
const SHORT_TMP = "/tmp";

/** Ways to make a folder that is removed after a kill of this process, the usual one first. */
export const ownedFolders = (name: string): (() => Promise<string>)[] =>
  places().map((place) => async () => await mkdtemp(join(place, `ralphctl-${name}-${ownerTag(process.pid)}-`)));

const places = (): string[] => [...new Set([tmpdir(), SHORT_TMP])];

/** A folder that stays until it is removed. */
export const newTemporaryFolder = async (name: string): Promise<string> =>
  await realpath(await mkdtemp(join(tmpdir(), `ralphctl-${name}-`)));

/** The longest folder in which a Unix socket still has a name: macOS takes 103 bytes for both. */
const LONGEST_SOCKET_FOLDER = 59;

/** A folder with a short name, only for this user, for the temporary files of one lane. It stays until it is removed. */
export async function newLaneTmp(): Promise<string> {
  const name = `ralphctl-l-${ownerTag(process.pid)}-`;
  const isShort = join(tmpdir(), `${name}123456`).length <= LONGEST_SOCKET_FOLDER;
  const folder = join(isShort ? tmpdir() : SHORT_TMP, name);
  return await mkdtemp(folder).catch((cause: unknown) => {
    throw ioError(`create the folder ${folder}`, cause);
  });
}

/** Removes all that lies in a folder of `newLaneTmp`; makes it again where a program removed it. */
export async function emptyLaneTmp(folder: string): Promise<void> {
  try {
    if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
      await rm(folder, { force: true });
      await mkdir(folder, { mode: 0o700 });
    }
    if (readdirSync(folder).length > 0) {
      openFolders(Buffer.from(folder));
      for (const name of await readdir(folder, { encoding: "buffer" })) {
        await rm(Buffer.concat([Buffer.from(`${folder}/`), name]), { recursive: true, force: true });
      }
    }
  } catch (cause) {
    throw ioError(`empty ${folder}`, cause);
  }
}

/**
 * Removes the folders of killed processes. A folder's name identifies its owner, so there is no moment without one.
 */
export async function removeAbandonedFolders(): Promise<void> {
  for (const place of places()) {
    for (const name of await readdir(place).catch(() => [])) {
      const folder = join(place, name);
      if (isAbandoned(name) && isOurs(folder))
        await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

/** Whether a folder with this name was made for a while by a process of this host that is gone. */
export function isAbandoned(name: string): boolean {
  const [, tag = "", pid] = OWNED.exec(name) ?? [];
  return pid !== undefined && tag.startsWith(`${hostTag()}.`) && tag !== ownerTag(Number(pid));
}

const OWNED = /^ralphctl-[a-z-]+-([0-9a-f]{8}\.(\d+)\.[0-9a-f]{8})-\w{6}$/;

/** A process that cannot be mistaken for another: host, number and start, as part of a name. */
const ownerTag = (pid: number): string => `${hostTag()}.${pid}.${hash(startTimeOf(pid) ?? "")}`;

const hostTag = (): string => hash(hostname());

const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8);

/** In a folder for all users there may be others', and links that lead anywhere. */
function isOurs(folder: string): boolean {
  const about = lstatSync(folder, { throwIfNoEntry: false });
  return about?.isDirectory() === true && about.uid === process.getuid?.();
}
