import { posix } from "node:path";
import { assembler, layers, machineFolders, openFolders } from "./layers.ts";

const IMPORT = /\b(?:from|import)\s*\(?\s*"([^"]+)"/g;

/** Modules of Node's that compute and touch nothing. */
const HARMLESS = new Set(["node:path", "node:util", "node:crypto", "node:events", "node:url"]);

/** Where the program and the library are entered. */
const CHANNELS = new Set(["bin.ts", "index.ts"]);

/** One sentence per import that breaks the table. `files` maps "store/sqlite.ts" to its text. */
export function violations(files: Readonly<Record<string, string>>): string[] {
  return Object.entries(files).flatMap(([file, text]) =>
    Array.from(text.matchAll(IMPORT), ([, specifier = ""]) => complaint(file, specifier)).filter(
      (sentence) => sentence !== undefined,
    ),
  );
}

/** One sentence per mention of the process's environment, streams or end in a file that may not know them. */
export function processMentions(files: Readonly<Record<string, string>>): string[] {
  return Object.entries(files)
    .filter(([file]) => !isTest(file) && !CHANNELS.has(file))
    .filter(([, text]) => /\bprocess\.(env|exit|stdout|stderr|stdin|argv|cwd)\b|\bconsole\./.test(text))
    .map(([file]) => `${file} mentions the process: only bin.ts and index.ts may`);
}

/**
 * One sentence per wait of a test that ends too soon on a busy machine: vitest gives up after a second unless it is told.
 */
export function shortWaits(files: Readonly<Record<string, string>>): string[] {
  return Object.entries(files).flatMap(([file, text]) =>
    Array.from(text.matchAll(/\b(?:vi\.wait(?:Until|For)|expect\.poll)(?=\()/g), ({ index, 0: name }) => {
      const call = text.slice(index + name.length, endOfBrackets(text, index + name.length));
      // A name stands for a time that was thought about.
      const isLong = /\btimeout: (?:[A-Z]|[\d_]{6})|, [A-Z_]+\s*\)$/.test(call);
      return isLong ? [] : [`${file} waits by ${name} for less than 10 seconds`];
    }).flat(),
  );
}

/** Behind the bracket that closes the one at `start`. */
function endOfBrackets(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    if (text[at] === ")" && --depth === 0) return at + 1;
  }
  return text.length;
}

const DECLARED = /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm;

/** One sentence per type name that two files declare and export: one name has one meaning. */
export function repeatedTypes(files: Readonly<Record<string, string>>): string[] {
  const homes = new Map<string, string[]>();
  for (const [file, text] of Object.entries(files)) {
    if (isTest(file)) continue;
    for (const [, name = ""] of text.matchAll(DECLARED)) homes.set(name, [...(homes.get(name) ?? []), file]);
  }
  return Array.from(homes)
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `${name} is declared in ${paths.join(" and ")}`);
}

function complaint(file: string, specifier: string): string | undefined {
  if (isTest(file)) return undefined;
  const from = folderOf(file);
  if (!specifier.startsWith(".")) return outsideComplaint(file, specifier);
  const target = posix.join(posix.dirname(file), specifier);
  const to = folderOf(target);
  if (to === from) return undefined;
  if (!layers[from]?.includes(to)) return `${file} imports ${target}: ${from} may not use ${to}`;
  if (openFolders.includes(to) || target === `${to}/${to}.ts`) return undefined;
  if (from === assembler && target === `${to}/index.ts`) return undefined;
  return `${file} imports ${target}: enter ${to} by ${to}/${to}.ts`;
}

function outsideComplaint(file: string, specifier: string): string | undefined {
  const from = folderOf(file);
  if (from === "domain") return `${file} imports ${specifier}: domain is pure`;
  const touchesMachine = specifier.startsWith("node:") && !HARMLESS.has(specifier);
  return touchesMachine && !machineFolders.includes(from)
    ? `${file} imports ${specifier}: only ${machineFolders.join(", ")} may touch the machine`
    : undefined;
}

const isTest = (file: string): boolean => /\.(test|contract)\.ts$/.test(file);

const folderOf = (file: string): string => file.split("/")[0] ?? "";
