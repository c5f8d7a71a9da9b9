import { codeOf, type EditedSource } from "./switched-off.ts";

const SHELL = /\.(?:sh|bash)$/;
const FUNCTION = /^[ \t]*(?:function[ \t]+([\w:.-]+)|([\w:.-]+)[ \t]*\([ \t]*\))/gm;

/** The names of the functions that a script of the shell defines. */
export const shellFunctions = (text: string): ReadonlySet<string> =>
  new Set(Array.from(text.matchAll(FUNCTION), ([, long, short]) => long ?? short!));

/** Those that it did not define before. */
export function newShellFunctions(source: EditedSource): string[] {
  if (!SHELL.test(source.path)) return [];
  const { before, after } = codeOf(source);
  const known = shellFunctions(before);
  return [...shellFunctions(after)].filter((name) => !known.has(name));
}
