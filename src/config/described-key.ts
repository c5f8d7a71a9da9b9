import * as z from "zod/mini";
import { strictMapping } from "../system/check-data.ts";
import type { Kind } from "./kinds.ts";

/** Information about a key: reference, JSON Schema and environment variables come from it. */
export interface KeyInfo {
  readonly doc: string;
  /** Absent for a group of keys. */
  readonly kind?: Kind;
  readonly fallback?: unknown;
  /** The keys inside: of a group, or of each entry. */
  readonly fields?: Fields;
  readonly entries?: "by name" | "in a list";
}

export type Fields = Readonly<Record<string, z.ZodMiniType>>;

// The library has registries for this, but their types cannot hold a schema inside the information about a schema.
const infos = new WeakMap<object, KeyInfo>();

export const infoOf = (schema: object): KeyInfo | undefined => infos.get(schema);

export function described<Schema extends object>(schema: Schema, info: KeyInfo): Schema {
  infos.set(schema, info);
  return schema;
}

export const MAPPING = "must be a mapping of keys to values";

export function key<Schema extends z.ZodMiniType>(doc: string, kind: Kind<Schema>, fallback: z.input<Schema>) {
  return described(z.prefault(kind.schema, fallback as never), { doc, kind, fallback });
}

export function required<Schema extends z.ZodMiniType>(doc: string, kind: Kind<Schema>): Schema {
  // A copy, because one kind serves many keys and each has its own doc.
  return described(z.clone(kind.schema), { doc, kind });
}

export function group<Shape extends Fields>(doc: string, fields: Shape) {
  return described(z.prefault(strictMapping(fields, MAPPING), {} as never), { doc, fields });
}
