import { constants } from "node:fs";
import { access, chmod, lstat, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { RalphError } from "../../domain/error.ts";
import { shellWord } from "../../domain/shell-word.ts";
import { ioError } from "../io-error.ts";
import { checkInside, makeFolder } from "../folder.ts";

const NAMES = ["ralphctl", "ralph"] as const;

/**
 * Makes the folder that a session has first on its PATH, so that `ralphctl` there is this very program, installed or
 * not: `self` is the command line that starts it. Removes all else from it: a program that an agent put there would
 * replace one that gates use. Returns the folder.
 */
export async function makeSessionBin(folder: string, self: readonly [string, ...string[]]): Promise<string> {
  if (folder.includes(delimiter)) {
    throw new RalphError("config", `${folder} cannot be on the PATH of a session: it contains "${delimiter}"`, {
      hint: "Rename the folder of the repository",
    });
  }
  await checkInside(dirname(folder), folder);
  await makeFolder(folder, { isPrivate: true });
  const text = `#!/bin/sh\nexec ${self.map(shellWord).join(" ")} "$@"\n`;
  for (const name of NAMES) await writeProgram(folder, name, text);
  await removeOthers(folder);
  return folder;
}

async function removeOthers(folder: string): Promise<void> {
  try {
    const others = (await readdir(folder)).filter((name) => !NAMES.some((own) => own === name));
    for (const name of others) await rm(join(folder, name), { recursive: true, force: true });
  } catch (cause) {
    throw ioError(`empty ${folder}`, cause);
  }
}

/** Keeps a file that is already right: it may be starting at this moment. */
async function writeProgram(folder: string, name: string, text: string): Promise<void> {
  const path = join(folder, name);
  if (await isProgram(path, text)) return;
  // Beside the folder: another run may be emptying it.
  const draft = `${folder}.${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}.tmp`;
  try {
    await writeFile(draft, text, { flag: "wx", flush: true });
    await chmod(draft, 0o700);
    // A file does not replace a folder.
    if (await isFolder(path)) await rm(path, { recursive: true });
    await rename(draft, path);
  } catch (cause) {
    throw ioError(`write ${path}`, cause);
  } finally {
    await rm(draft, { force: true });
  }
}

async function isProgram(path: string, text: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    // The file behind a link may change at any time.
    return (await lstat(path)).isFile() && (await readFile(path, "utf8")) === text;
  } catch {
    return false; // it is written anew
  }
}

const isFolder = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined))?.isDirectory() === true;
