import { groupBy } from "../domain/group.ts";
import type { PlanEntry, PlanMark, PlanNotice, PlanReading, TextRange } from "./entry.ts";
import { hashKey, normaliseTitle, titleIndex } from "./title.ts";

/** An entry as a format found it, before ids are known to be unique. Parents come before what they hold. */
export interface Draft {
  readonly kind: "task" | "group";
  /** The id that the text seems to give. */
  readonly id?: string | undefined;
  /** The title where that id counts … */
  readonly title: string;
  /** … and where it does not. Default: the same. */
  readonly fullTitle?: string;
  readonly description: string;
  readonly acceptance?: readonly string[];
  readonly status: PlanMark;
  readonly aside?: "failed" | "parked" | undefined;
  /** Index of the parent's draft. */
  readonly parent?: number | undefined;
  /** Indices of drafts that come first. */
  readonly after?: readonly number[];
  /** Ids that the text names as coming first. */
  readonly needs?: readonly string[];
  /** Ids of entries of other files that come first, and of the one that this is a part of. */
  readonly elsewhere?: readonly string[];
  readonly inside?: string;
  readonly priority?: number | undefined;
  readonly line: number;
  readonly mark?: TextRange | undefined;
}

/** Drafts → entries with keys (P-51) and resolved needs; what did not resolve becomes a notice. */
export function toReading(drafts: readonly Draft[], notices: readonly PlanNotice[] = []): PlanReading {
  const found = [...notices];
  const owners = groupBy(drafts.keys(), (index) => drafts[index]!.id);
  for (const [id, indices] of owners) {
    const [first, second] = indices;
    if (id === undefined || second === undefined) continue;
    const message = `The id ${id} is used twice (first in line ${drafts[first!]!.line}): it identifies neither entry`;
    found.push({ line: drafts[second]!.line, message });
  }
  const isUnique = (draft: Draft): boolean => draft.id !== undefined && owners.get(draft.id)!.length === 1;
  const keys = keysOf(drafts, isUnique);
  const entries = drafts.map((draft, index): PlanEntry => {
    const needs = needsOf(index, { drafts, owners, keys, found });
    return {
      key: keys[index]!,
      kind: draft.kind,
      ...(isUnique(draft) ? { id: draft.id! } : {}),
      title: titleOf(draft, isUnique(draft)),
      description: draft.description,
      acceptance: draft.acceptance ?? [],
      status: draft.status,
      ...(draft.aside === undefined ? {} : { aside: draft.aside }),
      ...(draft.parent === undefined ? {} : { parentKey: keys[draft.parent]! }),
      needs,
      ...(draft.elsewhere === undefined && !draft.inside
        ? {}
        : { links: { needs: draft.elsewhere ?? [], ...(draft.inside ? { partOf: draft.inside } : {}) } }),
      ...(draft.priority === undefined ? {} : { priority: draft.priority }),
      line: draft.line,
      ...(draft.mark === undefined ? {} : { mark: draft.mark }),
    };
  });
  return { entries, notices: found.sort((a, b) => a.line - b.line) };
}

/** Hashing the parent's key, not its whole path, keeps deep nesting linear. */
function keysOf(drafts: readonly Draft[], isUnique: (draft: Draft) => boolean): string[] {
  const keys: string[] = [];
  const seen = new Map<string, number>();
  const titleAt = titleIndex(drafts);
  for (const draft of drafts) {
    if (isUnique(draft)) {
      keys.push(`id:${draft.id!}`);
      continue;
    }
    const parentKey = draft.parent === undefined || draft.parent === titleAt ? "" : keys[draft.parent]!;
    const place = hashKey(draft.kind, parentKey, normaliseTitle(titleOf(draft, false)));
    const ordinal = (seen.get(place) ?? 0) + 1;
    seen.set(place, ordinal);
    keys.push(ordinal === 1 ? place : `${place}.${ordinal}`);
  }
  return keys;
}

interface Resolving {
  readonly drafts: readonly Draft[];
  readonly owners: ReadonlyMap<string | undefined, readonly number[]>;
  readonly keys: readonly string[];
  readonly found: PlanNotice[];
}

/** A need for an id that two entries claim waits for both: waiting too long is safer than not at all. */
function needsOf(index: number, { drafts, owners, keys, found }: Resolving): string[] {
  const { after = [], needs = [], line } = drafts[index]!;
  const resolved = new Set(after);
  for (const id of needs) {
    const indices = owners.get(id) ?? [];
    if (indices.length === 0) found.push({ line, message: `It needs ${id}, which is not in this file` });
    for (const other of indices) {
      const message = `Ignored the need for ${id}: an entry cannot need itself, its parent or its parts`;
      if (isWithin(drafts, index, other) || isWithin(drafts, other, index)) found.push({ line, message });
      else resolved.add(other);
    }
  }
  return [...resolved].map((other) => keys[other]!);
}

/** Whether one is the other or stands somewhere inside it: neither could ever wait for the other. */
function isWithin(drafts: readonly Draft[], inner: number, outer: number): boolean {
  let at: number | undefined = inner;
  while (at !== undefined && at !== outer) at = drafts[at]!.parent;
  return at === outer;
}

/** One line, whatever the format allowed into it. */
function titleOf(draft: Draft, hasId: boolean): string {
  const title = hasId ? draft.title : (draft.fullTitle ?? draft.title);
  return title.replaceAll(/[\r\n\v\f\u0085\u2028\u2029]+/g, " ").trim() || "(untitled)";
}
