import { isMapping, type Mapping } from "../../domain/mapping.ts";
import { parseJson } from "../../domain/json-text.ts";
import { parseGemLock, parsePnpmLock, parseYarnLock } from "./lock-text.ts";
import { readMakeFile } from "./make-file.ts";
import { parseToml } from "../../domain/toml.ts";

/** The named parts of a file that is not YAML: to load a reader for that takes a while. */
export function plainPartsOf(path: string, text: string): Mapping | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const kind = KINDS.find(([pattern]) => pattern.test(name))?.[1];
  return kind && remembered(kind, text);
}

type Kind = (text: string) => Mapping | undefined;

/** A base has the same manifests from claim to claim, and of each it is asked several times. */
const MOST_TEXTS = 2000;
const LONGEST_TEXT = 16 * 1024;
const KNOWN = new Map<Kind, Map<string, Mapping | undefined>>();

/** What a reader makes of a text. */
export function remembered(kind: Kind, text: string): Mapping | undefined {
  if (text.length > LONGEST_TEXT) return kind(text);
  const known = KNOWN.get(kind) ?? new Map<string, Mapping | undefined>();
  KNOWN.set(kind, known);
  if (known.has(text)) return known.get(text);
  if (known.size > MOST_TEXTS) known.clear();
  const parts = kind(text);
  known.set(text, parts);
  return parts;
}

/** Files like `.eslintrc` may be JSON or YAML; JSON is YAML, and YAML with JSON's comments is not. */
const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/\.json[c5]?$|^\.(?:eslintrc|babelrc|swcrc|nycrc|prettierrc|mocharc|stylelintrc|jshintrc)$/i, parseJson],
  [/^yarn\.lock$/, parseYarnLock],
  [/^pnpm-lock\.yaml$/, parsePnpmLock],
  [/^(?:Gemfile\.lock|gems\.locked)$/, parseGemLock],
  [/^(?:bun|Pipfile|composer|deno)\.lock$/, parseJson],
  [/\.toml$|^(?:uv|poetry|pdm|Cargo)\.lock$/i, parseToml],
  [/\.(?:ini|cfg)$|^\.(?:flake8|coveragerc|pylintrc|npmrc)$/i, parseIni],
  [/^go\.mod$/, parseGoModule],
  [/^(?:GNU)?makefile$|\.mk$/i, readMakeFile],
  // Its recipes look like those of make, but for the indentation and the braces around names.
  [
    /^\.?justfile$/i,
    (text) => readMakeFile(text.replaceAll(/^(?: {2,}|\t+)(?=\S)/gm, "\t").replaceAll(/\{\{\s*(\w+)\s*\}\}/g, "$($1)")),
  ],
];

/** Sections with options; a line that is indented continues the option above it. */
function parseIni(text: string): Mapping {
  const sections: Record<string, Record<string, string>> = {};
  let section: Record<string, string> = (sections[""] = {});
  let option = "";
  for (const line of text.split(/\r?\n/)) {
    const head = /^\[([^\]]+)\]/.exec(line)?.[1];
    if (/^\s*(?:[#;]|$)/.test(line)) continue;
    if (head !== undefined) section = sections[head.trim()] ??= {};
    else if (/^\s/.test(line) && option !== "") section[option] += `\n${line.trim()}`;
    else {
      const [, name = "", value = ""] = /^([^=:]+)(?:[=:](.*))?$/.exec(line.trimEnd()) ?? [];
      option = name.trimEnd();
      section[option] = value.trim();
    }
  }
  return sections;
}

/** What stands behind each word of a go.mod, such as `replace`. */
function parseGoModule(text: string): Mapping {
  const parts: Record<string, string[]> = {};
  let block: string | undefined;
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.replace(/\/\/.*/, "").trim();
    if (line === ")") block = undefined;
    else if (line.endsWith("(")) block = line.slice(0, -1).trim();
    else if (line !== "") {
      const [word = "", ...rest] = block === undefined ? line.split(/\s+/) : [block, ...line.split(/\s+/)];
      (parts[word] ??= []).push(rest.join(" "));
    }
  }
  return parts;
}

/** The value at `scripts.test`. A step may contain dots itself: `scripts.test.unit`. */
export function valueAt(value: unknown, key: string): unknown {
  if (!isMapping(value)) return undefined;
  if (Object.hasOwn(value, key)) return value[key];
  for (let dot = key.indexOf("."); dot > 0; dot = key.indexOf(".", dot + 1)) {
    const step = key.slice(0, dot);
    const found = Object.hasOwn(value, step) ? valueAt(value[step], key.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether two values are the same; the order of keys does not matter. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, at) => isSame(item, b[at]));
  if (!isMapping(a) || !isMapping(b)) return a === b;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}

/** A list that only got more entries. One that begins with `!` takes something away. */
export function isGrown(before: unknown, after: unknown): boolean {
  if (!Array.isArray(before) || !Array.isArray(after) || before.length === 0) return false;
  const added = after.filter((item) => !before.some((old) => isSame(old, item)));
  return (
    before.every((old) => after.some((item) => isSame(old, item))) &&
    !added.some((item) => typeof item === "string" && item.startsWith("!"))
  );
}
