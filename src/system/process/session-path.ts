import { constants } from "node:fs";
import { access, chmod, readFile, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { RalphError } from "../../domain/error.ts";
import { shellWord } from "../../domain/shell-word.ts";
import { ioError } from "../io-error.ts";
import { checkInside, makeFolder } from "../folder.ts";

const NAMES = ["ralphctl", "ralph"] as const;

/**
 * Makes the folder that a session has first on its PATH, so that `ralphctl` there is this very program, installed or
 * not: `self` is the command line that starts it. Returns the folder.
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
  for (const name of NAMES) await writeProgram(join(folder, name), text);
  return folder;
}

/** Keeps a file that is already right: it may be starting at this moment. */
async function writeProgram(path: string, text: string): Promise<void> {
  if (await isProgram(path, text)) return;
  const draft = `${path}.${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}.tmp`;
  try {
    await writeFile(draft, text, { flag: "wx", flush: true });
    await chmod(draft, 0o700);
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
    return (await readFile(path, "utf8")) === text;
  } catch {
    return false; // it is written anew
  }
}
