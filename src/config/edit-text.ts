import { isDeepStrictEqual } from "node:util";
import { isMapping } from "../domain/mapping.ts";
import { readYaml } from "../system/yaml-text.ts";
import type { NewSettings } from "./config.ts";

/**
 * Adds keys to groups, in lines of their own, so that comments and layout stay. Undefined if a key is there already, or if
 * the result would not mean exactly what it should.
 */
export function setKeys(text: string, settings: NewSettings): string | undefined {
  const before = dataOf(text);
  if (before === undefined) return undefined;
  const edited = Object.entries(settings).reduce(addToGroup, text);
  const groups = Object.entries(settings).map(([group, values]) => [group, { ...mappingOf(before[group]), ...values }]);
  const wanted = { ...before, ...(Object.fromEntries(groups) as NewSettings) };
  const isTaken = Object.entries(settings).some(([group, values]) =>
    Object.keys(values).some((key) => Object.hasOwn(mappingOf(before[group]), key)),
  );
  return !isTaken && isDeepStrictEqual(plain(dataOf(edited)), plain(wanted)) ? edited : undefined;
}

function addToGroup(text: string, [group, values]: readonly [string, Readonly<Record<string, unknown>>]): string {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => new RegExp(`^${group}:[ \\t\\r]*(?:#.*)?$`).test(line));
  const indent = /^ +(?=[^ #])/.exec(lines.slice(at + 1).find((line) => /^ *[^ #\r]/.test(line)) ?? "")?.[0] ?? "  ";
  // A JSON value is valid YAML.
  const added = Object.entries(values).map(([key, value]) => `${indent}${key}: ${JSON.stringify(value)}`);
  if (at >= 0) return lines.toSpliced(at + 1, 0, ...added).join("\n");
  return `${text.trimEnd()}\n\n${group}:\n${added.map((line) => line.replace(indent, "  ")).join("\n")}\n`.trimStart();
}

function dataOf(text: string): Record<string, unknown> | undefined {
  const read = readYaml(text);
  if (read.kind === "broken") return undefined;
  return read.data === undefined || read.data === null ? {} : isMapping(read.data) ? read.data : undefined;
}

const mappingOf = (value: unknown): Record<string, unknown> => (isMapping(value) ? value : {});

/** Without prototypes, which differ. */
const plain = (data: unknown): unknown => (data === undefined ? undefined : JSON.parse(JSON.stringify(data)));
