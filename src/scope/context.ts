import { dirname, join, relative } from "node:path";
import { RalphError } from "../domain/error.ts";
import { formatSize } from "../domain/size.ts";
import { checkInside, sizeOf } from "../system/folder.ts";
import { readTextFile } from "../system/text-file.ts";
import { rewriteLocked } from "../system/file-lock.ts";

/** A scope's context: what a person wants the agent to know from the next iteration on. */
export interface ContextPlace {
  /** The folder that all working trees share, `.ralph` of the first: a scope is the same in each of them. */
  readonly home: string;
  /** The scope's key. */
  readonly scope: string;
  readonly limitBytes: number;
}

/** The context of a scope; empty if there is none. */
export async function readContext(place: ContextPlace): Promise<string> {
  const path = await pathOf(place);
  const bytes = sizeOf(path) ?? 0;
  if (bytes > place.limitBytes) throw tooLong(place, `The context file ${shown(place)} has`, bytes);
  const rules = { limitBytes: place.limitBytes, what: `The context file ${shown(place)}` };
  return (await readTextFile(path, rules)) ?? "";
}

/** Adds a paragraph. Blank text is ignored; returns whether anything was added. */
export async function appendContext(place: ContextPlace, text: string): Promise<boolean> {
  if (text.trim() === "") return false;
  if (text.includes("\0")) {
    throw new RalphError("data", "The text contains a NUL byte", { hint: "Pass text, not a binary file" });
  }
  // The existing file must be text: other bytes would not survive rewriting.
  await readContext(place);
  await rewriteLocked(await pathOf(place), (before = "") => {
    const whole = `${before}${before === "" ? "" : "\n"}${text.trim()}\n`;
    const bytes = Buffer.byteLength(whole);
    if (bytes > place.limitBytes) throw tooLong(place, "The context would have", bytes);
    return whole;
  });
  return true;
}

/** Empties the context. */
export async function clearContext(place: ContextPlace): Promise<void> {
  await rewriteLocked(await pathOf(place), () => "");
}

const tooLong = ({ limitBytes }: ContextPlace, what: string, bytes: number): RalphError =>
  new RalphError("data", `${what} ${bytes} bytes, but limits.context is ${formatSize(limitBytes)}`, {
    hint: "Run ralphctl context clear, or put the text into a file that the prompt names",
  });

async function pathOf(place: ContextPlace): Promise<string> {
  const path = join(place.home, "context", `${place.scope}.md`);
  await checkInside(dirname(place.home), path);
  return path;
}

const shown = ({ home, scope }: ContextPlace): string => relative(dirname(home), join(home, "context", `${scope}.md`));
