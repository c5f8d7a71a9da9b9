import { isMapping, type Mapping } from "../domain/mapping.ts";
import type { Kind } from "./kinds.ts";
import { infoOf, type Fields } from "./described-key.ts";
import { configSchema } from "./schema.ts";

/** Nested data as a file, the environment or the flags bring it. */
export type Tree = Mapping;

/** All keys of the configuration, as the schema lists them. */
export const rootFields: Fields = infoOf(configSchema)?.fields ?? {};

/**
 * The same tree with each known value put through `change`.
 * A group without content says nothing and is left out; what is not known stays, for the check to find.
 */
export function mapValues(fields: Fields, tree: Tree, change: (value: unknown, kind: Kind) => unknown): Tree {
  const mapped = Object.entries(tree).map(([name, value]): [string, unknown] => {
    const info = Object.hasOwn(fields, name) ? infoOf(fields[name]!) : undefined;
    if (info === undefined || value === undefined) return [name, value];
    if (info.kind !== undefined) return [name, change(value, info.kind)];
    if (value === null) return [name, undefined];
    if (!isMapping(value)) return [name, value];
    if (info.entries === undefined) return [name, mapValues(info.fields ?? {}, value, change)];
    return [name, mapEntries(value, (entry) => mapValues(info.fields ?? {}, entry, change))];
  });
  return Object.fromEntries(mapped.filter(([, value]) => value !== undefined));
}

function mapEntries(tree: Tree, change: (entry: Tree) => Tree): Tree {
  const entries = Object.entries(tree).filter(([, entry]) => entry !== null && entry !== undefined);
  return Object.fromEntries(entries.map(([name, entry]) => [name, isMapping(entry) ? change(entry) : entry]));
}

/** `upper` over `lower`: mappings are merged at every depth, anything else is replaced whole. */
export function merge(lower: Tree, upper: Tree): Tree {
  const merged = Object.entries(upper).map(([name, value]): [string, unknown] => {
    const below = Object.hasOwn(lower, name) ? lower[name] : undefined;
    return [name, isMapping(value) && isMapping(below) ? merge(below, value) : value];
  });
  return Object.fromEntries([...Object.entries(lower), ...merged]);
}

/** The same tree with every default written out, in the order of the schema. */
export function complete(fields: Fields, tree: Tree): Tree {
  const completed = Object.entries(fields).map(([name, schema]): [string, unknown] => {
    const { fallback, kind, fields: inner = {}, entries } = infoOf(schema) ?? { doc: "" };
    const value = Object.hasOwn(tree, name) ? tree[name] : undefined;
    if (kind !== undefined) return [name, value === undefined ? fallback : value];
    const below = isMapping(value) ? value : {};
    return [
      name,
      entries === undefined ? complete(inner, below) : mapEntries(below, (entry) => complete(inner, entry)),
    ];
  });
  return Object.fromEntries(completed);
}

/** The same data, deeply frozen. */
export function freeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(freeze);
  return Object.freeze(value);
}
