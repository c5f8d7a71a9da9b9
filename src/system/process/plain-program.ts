import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";

export interface SearchPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Whether a name leads to a program that the system itself can start: one in machine code, or one that names another. */
export function isPlainProgram(file: string, { cwd, env }: SearchPlace): boolean {
  const folders = file.includes("/") ? [""] : (env["PATH"]?.split(delimiter) ?? []);
  const found = folders.map((folder) => resolve(cwd, join(folder, file))).find(isExecutable);
  return found !== undefined && beginsAsProgram(found);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // not there, or not for us: that is the answer
  }
}

const BEGINNINGS = ["#!", "\x7fELF"];

function beginsAsProgram(path: string): boolean {
  let opened: number | undefined;
  try {
    opened = openSync(path, "r");
    const head = Buffer.alloc(4);
    const text = head.toString("latin1", 0, readSync(opened, head));
    return BEGINNINGS.some((beginning) => text.startsWith(beginning));
  } catch {
    return false; // it may be executed, but not read
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}
