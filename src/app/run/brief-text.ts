import { resolve } from "node:path";
import { RalphError } from "../../domain/error.ts";
import { formatSize } from "../../domain/size.ts";
import { checkNamed } from "../../system/folder.ts";
import { readTextFile } from "../../system/text-file.ts";
import type { Workspace } from "../workspace.ts";

/** What a person asked for in so many words: on the command line, or in a file (P-02). */
export interface Brief {
  readonly words?: string | undefined;
  /** From where the user stands. */
  readonly file?: string | undefined;
}

/** The words, or those of the file; undefined when there are neither. */
export async function briefText({ words, file }: Brief, workspace: Workspace): Promise<string | undefined> {
  if (words !== undefined && file !== undefined) {
    throw new RalphError("usage", "Words and --file exclude each other", { hint: "Put the words into the file" });
  }
  if (file !== undefined) return usable(await textOfFile(file, workspace), `The file ${file}`, workspace);
  return words === undefined ? undefined : usable(words, "What to do", workspace);
}

async function textOfFile(file: string, { root, cwd, config }: Workspace): Promise<string> {
  if (file === "") throw new RalphError("usage", "--file names no file", { hint: "Write --file brief.md" });
  const path = resolve(cwd, file);
  await checkNamed(root, path);
  const text = await readTextFile(path, { limitBytes: config.limits.prompt, what: `The file ${file}` });
  if (text !== undefined) return text;
  throw new RalphError("usage", `The file ${file} does not exist`, {
    hint: "Name a text file that says what to do, as seen from where you are",
  });
}

function usable(given: string, what: string, { config }: Workspace): string {
  const text = given.replaceAll("\r\n", "\n").trim();
  if (text === "")
    throw new RalphError("usage", `${what} is empty`, { hint: 'Say it: ralphctl run "Add a login page"' });
  if (Buffer.byteLength(text) <= config.limits.prompt) return text;
  throw new RalphError("data", `${what} is larger than ${formatSize(config.limits.prompt)}`, {
    hint: "Put the details into a file that it names, or raise limits.prompt",
  });
}
