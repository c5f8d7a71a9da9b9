import { join } from "node:path";
import { RalphError } from "../domain/error.ts";
import { formatSize } from "../domain/size.ts";
import { appendText, checkInside, writeWhole } from "../system/folder.ts";
import { readTextFile } from "../system/text-file.ts";

/** A scope's context: what a person wants the agent to know from the next iteration on. */
export interface ContextPlace {
  readonly root: string;
  /** The scope's key. */
  readonly scope: string;
  readonly limitBytes: number;
}

/** The context of a scope; empty when nobody added any. */
export async function readContext({ root, scope, limitBytes }: ContextPlace): Promise<string> {
  const file = fileOf(scope);
  await checkInside(root, join(root, file));
  return (await readTextFile(join(root, file), { limitBytes, what: `The context file ${file}` })) ?? "";
}

/** Adds a paragraph. Blank text is ignored; returns whether anything was added. */
export async function appendContext(place: ContextPlace, text: string): Promise<boolean> {
  if (text.trim() === "") return false;
  if (text.includes("\0")) {
    throw new RalphError("data", "The text is not text: there is a NUL byte in it", {
      hint: "Give words, not a binary file",
    });
  }
  const before = await readContext(place);
  const addition = `${before === "" ? "" : "\n"}${text.trim()}\n`;
  if (Buffer.byteLength(before + addition) > place.limitBytes) {
    throw new RalphError("data", `The context would be larger than ${formatSize(place.limitBytes)}`, {
      hint: "Run ralphctl context clear, or put the text into a file that the prompt names",
    });
  }
  await appendText(join(place.root, fileOf(place.scope)), addition);
  return true;
}

/** Empties the context. */
export async function clearContext(place: ContextPlace): Promise<void> {
  await checkInside(place.root, join(place.root, fileOf(place.scope)));
  await writeWhole(join(place.root, fileOf(place.scope)), "");
}

const fileOf = (scope: string): string => `.ralph/context/${scope}.md`;
