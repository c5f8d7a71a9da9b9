import { dirname, join, relative } from "node:path";
import { RalphError } from "../domain/error.ts";
import { formatSize } from "../domain/size.ts";
import { checkInside, filesBelow, sizeOf, textIn } from "../system/folder.ts";
import { readTextFile } from "../system/text-file.ts";
import { rewriteLocked } from "../system/file-lock.ts";

/** A scope's context: what a person wants the agent to know from the next iteration on. */
export interface ContextPlace {
  /** The folder that all working trees share, `.ralph` of the first: a scope is the same in each of them. */
  readonly home: string;
  /** The scope's key. */
  readonly scope: string;
  readonly limitBytes: number;
  /** The workspace, for files of other tools; undefined: they are not read. */
  readonly root?: string | undefined;
  /** The folders that may hold changes. */
  readonly layouts?: readonly string[];
}

/** The context of a scope, after what other tools wrote for it; empty if there is none. */
export async function readContext(place: ContextPlace): Promise<string> {
  const theirs = (await readForeignContext(place)).map(({ text }) => text.trim());
  const own = await readOwn(place);
  if (theirs.length === 0) return own;
  const whole = [...theirs, own].filter((text) => text !== "").join("\n\n");
  const bytes = Buffer.byteLength(whole);
  if (bytes > place.limitBytes) throw tooLong(place, "The context, with that of other tools, has", bytes);
  return whole.endsWith("\n") ? whole : `${whole}\n`;
}

/** A context that is in force. */
export interface ScopeContext {
  readonly scope: string;
  readonly text: string;
}

const LONGEST = 1_000_000;

/** All contexts that people added and that are not empty; `only`: that of one scope. Files that are no text are left out. */
export async function listContexts(home: string, only: string | undefined): Promise<ScopeContext[]> {
  const folder = join(home, "context");
  const names =
    only === undefined
      ? (await filesBelow(folder))
          .filter((file) => file.endsWith(".md"))
          .map((file) => relative(folder, file).slice(0, -3))
      : [only];
  const found: ScopeContext[] = [];
  for (const scope of names.sort()) {
    const text = await readOwn({ home, scope, limitBytes: LONGEST }).catch((error: unknown) => {
      if (error instanceof RalphError) return "";
      throw error;
    });
    if (text.trim() !== "") found.push({ scope, text });
  }
  return found;
}

async function readOwn(place: ContextPlace): Promise<string> {
  const path = await pathOf(place);
  const bytes = sizeOf(path) ?? 0;
  if (bytes > place.limitBytes) throw tooLong(place, `The context file ${shown(place)} has`, bytes);
  const rules = { limitBytes: place.limitBytes, what: `The context file ${shown(place)}` };
  return (await readTextFile(path, rules)) ?? "";
}

/** What people told the loops of ito and spool about a change. It is read and never written: it belongs to their tool. */
export async function readForeignContext({
  root,
  layouts = [],
  scope,
  limitBytes,
}: ContextPlace): Promise<{ readonly file: string; readonly text: string }[]> {
  const change = /^change\/(.+)$/.exec(scope)?.[1];
  if (root === undefined || change === undefined) return [];
  const found: { file: string; text: string }[] = [];
  for (const layout of layouts) {
    for (const name of ["context.md", "context.txt"]) {
      const file = `${layout}/.state/ralph/${change}/${name}`;
      await checkInside(root, join(root, file));
      const text = await readTextFile(join(root, file), { limitBytes, what: `The context file ${file}` });
      if (text !== undefined && text.trim() !== "") found.push({ file, text });
    }
  }
  return found;
}

/** Adds a paragraph. Blank text is ignored; returns whether anything was added. */
export async function appendContext(place: ContextPlace, text: string): Promise<boolean> {
  const add = additionTo(place, text);
  if (add === undefined) return false;
  // The existing file must be text: other bytes would not survive rewriting.
  await readOwn(place);
  await rewriteLocked(await pathOf(place), add);
  return true;
}

/** Makes the whole context from what was there before; undefined for a blank text. */
export function additionTo(place: ContextPlace, text: string): ((before?: string) => string) | undefined {
  if (text.trim() === "") return undefined;
  if (text.includes("\0")) {
    throw new RalphError("data", "The text contains a NUL byte", { hint: "Pass text, not a binary file" });
  }
  return (before = "") => {
    const whole = `${before}${before === "" ? "" : "\n"}${text.trim()}\n`;
    const bytes = Buffer.byteLength(whole);
    if (bytes > place.limitBytes) throw tooLong(place, "The context would have", bytes);
    return whole;
  };
}

/** Replaces the context, unless it is the same. */
export async function overwriteContext(place: ContextPlace, text: string): Promise<void> {
  const path = await pathOf(place);
  if (textIn(path) !== text) await rewriteLocked(path, () => text);
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
