import { isDeepStrictEqual } from "node:util";
import { isMapping } from "../domain/mapping.ts";
import { editedYaml, type YamlPlace, yamlPlaces } from "../system/yaml-edit.ts";
import { readYaml, writeYaml } from "../system/yaml-text.ts";

/**
 * The text of a configuration with one value changed, or removed if it is undefined. Everything else stays as it is, with
 * its comments. Undefined if there is no way to write it that means exactly this.
 */
export function withValue(text: string, path: readonly string[], value: unknown): string | undefined {
  const before = dataOf(text);
  if (before === undefined) return undefined;
  const wanted = plain(changed(before, path, value));
  const means = (edited: string | undefined): boolean =>
    edited !== undefined && isDeepStrictEqual(plain(dataOf(edited) ?? {}), wanted);
  if (isDeepStrictEqual(plain(before), wanted)) return text;
  const places = yamlPlaces(text, path);
  const ways = [
    () => replaced(text, places, value),
    () => added(text, places, { path, value }),
    () => removed(text, places, value),
  ];
  return [...ways, () => editedYaml(text, path, value)].map((way) => way()).find(means);
}

/** A single value in its place. */
function replaced(text: string, { value: at, isLine }: YamlPlace, value: unknown): string | undefined {
  if (at === undefined || value === undefined || !isLine) return undefined;
  return `${text.slice(0, at.start)}${flat(value)}${text.slice(at.end)}`;
}

/** A line of its own below the last key on the way that exists, or at the end. */
function added(
  text: string,
  { value: at, parents }: YamlPlace,
  { path, value }: { readonly path: readonly string[]; readonly value: unknown },
): string | undefined {
  if (at !== undefined || value === undefined) return undefined;
  const deepest = parents.at(-1);
  const missing = path.slice(parents.length);
  const indent = deepest === undefined ? "" : deepest.indent;
  const lines = missing.map((name, depth) => {
    const isLast = depth === missing.length - 1;
    return `${indent}${"  ".repeat(depth)}${flat(name)}:${isLast ? ` ${flat(value)}` : ""}`;
  });
  const block = `${lines.join("\n")}\n`;
  if (deepest === undefined)
    return `${text === "" || text.endsWith("\n") ? text : `${text}\n`}${text === "" ? "" : "\n"}${block}`;
  const rest = text.slice(deepest.lineEnd);
  return `${text.slice(0, deepest.lineEnd)}${text.slice(0, deepest.lineEnd).endsWith("\n") ? "" : "\n"}${block}${rest}`;
}

/** Its lines. */
function removed(text: string, { lines }: YamlPlace, value: unknown): string | undefined {
  return value !== undefined || lines === undefined ? undefined : text.slice(0, lines.start) + text.slice(lines.end);
}

/** On one line. A JSON value is valid YAML. */
function flat(value: unknown): string {
  const text = typeof value === "string" ? writeYaml(value).trimEnd() : JSON.stringify(value);
  return text.includes("\n") ? JSON.stringify(value) : text;
}

function changed(
  data: Record<string, unknown>,
  [name = "", ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const { [name]: old, ...others } = data;
  const inner = isMapping(old) ? old : {};
  const next = rest.length === 0 ? value : changed(inner, rest, value);
  return next === undefined ? others : { ...others, [name]: next };
}

function dataOf(text: string): Record<string, unknown> | undefined {
  const read = readYaml(text);
  if (read.kind === "broken") return undefined;
  return read.data === undefined || read.data === null ? {} : isMapping(read.data) ? read.data : undefined;
}

/** Without prototypes, and without what says nothing: an empty group is no group. In any order. */
function plain(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(plain);
  if (!isMapping(data)) return data;
  const entries = Object.entries(data).map(([name, value]) => [name, plain(value)] as const);
  const said = entries.filter(([, value]) => value !== null && !(isMapping(value) && Object.keys(value).length === 0));
  return Object.fromEntries(said.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
