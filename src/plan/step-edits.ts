import { isAlias, isMap, isScalar, isSeq, type ParsedNode, type YAMLMap } from "yaml";
import type { MarkChange, PlanMark } from "./entry.ts";
import { lineEnd, type TextEdit } from "./text-edit.ts";
import { pairOf, wordsOf, type YamlPair } from "./yaml-document.ts";

/** A step as a map, with what its `status` says now. */
interface StepMap {
  readonly map: YAMLMap.Parsed;
  readonly status: PlanMark;
}

/**
 * The edits that make a step say its state: `status` is `completed` or not, and `ralph-status` beside it says what
 * `status` has no word for (D-11) and goes away when it no longer holds. A status that means the same already stays.
 */
export function stepEdits(text: string, { map, status }: StepMap, change: MarkChange): TextEdit[] {
  const wanted = change === "done" || (change === "dropped" && status === "dropped") ? change : "open";
  const aside = change === "open" || change === wanted ? undefined : change;
  const statusPair = pairOf(text, map, "status");
  const asidePair = pairOf(text, map, "ralph-status");
  const word = wanted === "done" ? "completed" : "pending";
  const edits: TextEdit[] = [];
  if (status !== wanted) {
    edits.push(statusPair ? setValue(text, statusPair, { word }) : insertPair(text, map, ["status", word]));
  }
  if (aside !== undefined) {
    edits.push(asidePair ? setValue(text, asidePair, { word: aside }) : insertPair(text, map, ["ralph-status", aside]));
  } else if (asidePair && ASIDES.has(wordsOf(asidePair.value))) {
    edits.push(removePair(text, map, asidePair));
  }
  return edits;
}

/** The values that we write; any other stays. */
const ASIDES = new Set<string | undefined>(["failed", "parked", "dropped"]);

/** A word takes the quotes that are there; what is written already is taken as it is. */
type NewValue = { readonly word: string } | { readonly written: string };

/** Puts a value in the place of the one that a key has. */
export function setValue(text: string, { key, value }: YamlPair, to: NewValue): TextEdit {
  const word = "word" in to ? to.word : to.written;
  if (!value) return { start: key.range[1], end: key.range[1], text: `: ${word}` };
  const [start, end] = value.range;
  if (start === end) {
    // The library places an empty value behind a comment: ours goes right behind the colon.
    const colon = key.range[1] + blanksAt(text, key.range[1]) + 1;
    return { start: colon, end: colon, text: ` ${word}` };
  }
  const quote = "word" in to ? quoteAt(text, start) : "";
  // The last newline of a block scalar belongs to the line, not to the word.
  const last = start + text.slice(start, end).trimEnd().length;
  return { start, end: last, text: quote + word + quote };
}

const quoteAt = (text: string, at: number): string => (text[at] === '"' || text[at] === "'" ? text[at] : "");

/** A new key: behind `status`, else behind another key with its value on one line, else before the first key. */
export function insertPair(text: string, map: YAMLMap.Parsed, [name, word]: readonly [string, string]): TextEdit {
  const pairs: readonly YamlPair[] = map.items;
  const named = ["status", "id"].map((name) => pairOf(text, map, name)).filter((pair) => pair !== undefined);
  const after = [...named, ...pairs].find((pair) => isOnOneLine(text, pair));
  if (map.flow) {
    // If the keys have quotes, the file may be JSON, and must stay valid.
    const [end, quote] = [endOf(after ?? pairs.at(-1)!), quoteAt(text, pairs[0]!.key.range[0])];
    const value = word.startsWith('"') ? word : `${quote}${word}${quote}`;
    return { start: end, end, text: `, ${quote}${name}${quote}: ${value}` };
  }
  const entry = `${name}: ${word}`;
  const first = pairs[0]!.key.range[0];
  const indent = " ".repeat(first - lineStart(text, first));
  const newline = newlineAt(text, first);
  if (!after) return { start: first, end: first, text: `${entry}${newline}${indent}` };
  const end = lineEnd(text, endOf(after));
  return { start: end, end, text: `${newline}${indent}${entry}` };
}

/** Takes a key out, with its whole line where it has one to itself; a comment behind it stays. */
export function removePair(text: string, map: YAMLMap.Parsed, pair: YamlPair): TextEdit {
  const [start, end] = [pair.key.range[0], endOf(pair)];
  if (map.flow) return removeFlowPair(text, start, end);
  const from = lineStart(text, start);
  const to = lineEnd(text, end);
  if (text.slice(end, to).trim() !== "") return { start, end: end + blanksAt(text, end), text: "" };
  const next = nextLine(text, to);
  // On the line of a dash the next key moves up into its place.
  if (text.slice(from, start).trim() !== "") return { start, end: next + blanksAt(text, next), text: "" };
  if (next > to) return { start: from, end: next, text: "" };
  return { start: previousEnd(text, from), end: to, text: "" };
}

function removeFlowPair(text: string, start: number, end: number): TextEdit {
  let from = start;
  while (from > 0 && " \t\r\n".includes(text[from - 1]!)) from -= 1;
  if (text[from - 1] === ",") return { start: from - 1, end, text: "" };
  let to = end;
  while (to < text.length && " \t\r\n".includes(text[to]!)) to += 1;
  return text[to] === "," ? { start, end: to + 1 + blanksAt(text, to + 1), text: "" } : { start, end, text: "" };
}

const endOf = ({ key, value }: YamlPair): number => value?.range[1] ?? key.range[1];

const isOnOneLine = (text: string, pair: YamlPair): boolean =>
  !text.slice(pair.key.range[0], endOf(pair)).includes("\n");

const lineStart = (text: string, at: number): number => {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  return start === 0 && text.startsWith("\uFEFF") ? 1 : start;
};

/** The line ending of this line; of the one before where the file ends without. */
function newlineAt(text: string, at: number): string {
  const next = text.indexOf("\n", at);
  const newline = next === -1 ? text.lastIndexOf("\n") : next;
  return text[newline - 1] === "\r" ? "\r\n" : "\n";
}

const nextLine = (text: string, end: number): number => {
  const newline = text.indexOf("\n", end);
  return newline === -1 ? end : newline + 1;
};

const previousEnd = (text: string, start: number): number => Math.max(0, lineEnd(text, Math.max(0, start - 2)));

function blanksAt(text: string, at: number): number {
  let end = at;
  while (text[end] === " " || text[end] === "\t") end += 1;
  return end - at;
}

/** The keys of ours, and the maps of the first document in which they may differ. */
export interface Ours {
  readonly marked: ReadonlySet<YAMLMap.Parsed>;
  readonly keys: ReadonlySet<unknown>;
}

/** Those that mark a step. */
export const STEP_KEYS: ReadonlySet<unknown> = new Set(["status", "ralph-status"]);

/** Whether two documents say the same, but for keys of ours. */
export function isSameBut(a: ParsedNode | null | undefined, b: ParsedNode | null | undefined, ours: Ours): boolean {
  if (isMap(a) && isMap(b)) {
    const own = ours.marked.has(a) ? ours.keys : NONE;
    const [left, right] = [pairsOf(a, own), pairsOf(b, own)];
    return (
      left.length === right.length &&
      left.every(({ key, value }, at) => {
        const other = right[at]!;
        return isSameBut(key, other.key, ours) && isSameBut(value, other.value, ours);
      })
    );
  }
  if (isSeq(a) && isSeq(b)) {
    const [left, right] = [a.items, b.items];
    return left.length === right.length && left.every((item, at) => isSameBut(item, right[at], ours));
  }
  if (isAlias(a) && isAlias(b)) return a.source === b.source;
  if (isScalar(a) && isScalar(b)) return Object.is(a.value, b.value) && a.anchor === b.anchor;
  return !a && !b;
}

const NONE: ReadonlySet<unknown> = new Set();

const pairsOf = (map: YAMLMap.Parsed, own: ReadonlySet<unknown>): readonly YamlPair[] =>
  own.size === 0 ? map.items : map.items.filter(({ key }) => !(isScalar(key) && own.has(key.value)));
