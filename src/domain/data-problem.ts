import { type ErrorKind, RalphError } from "./error.ts";
import type { Position } from "./position.ts";

/** Something wrong in a text or in data, as a sentence that lacks only the place. */
export interface TextProblem {
  readonly sentence: string;
  readonly hint: string;
  readonly position?: Position | undefined;
}

export type KeyPath = readonly (string | number)[];

/** Finds the line and column of a value or its key; undefined for data that has none. */
export type Locate<Place = Position> = (path: KeyPath, part: "key" | "value") => Place;

/** How to speak of data and its parts. */
export interface Speech {
  /** What the user would call a value: a key, a variable, a flag. */
  readonly nameOf: (path: KeyPath) => string;
  readonly locate: Locate<Position | undefined>;
}

/** Readers stop at this many problems: finding the place of each takes time. */
export const MAX_PROBLEMS = 100;

/** A path as people write it: `gates[0].run`, `limits.cost`. */
export function writtenKey(path: KeyPath): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      const name = /^[\w.<>-]+$/.test(step) ? step : JSON.stringify(clip(step));
      return index === 0 ? name : `.${name}`;
    })
    .join("");
}

/** A value of a file, for a sentence. */
export function writtenValue(value: unknown): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  if (typeof value === "string") return JSON.stringify(clip(value));
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "something else";
}

const clip = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}...` : text);

/** The problem's sentence with file, line and column. */
export function placedSentence({ sentence, position }: TextProblem, file: string): string {
  const at = position === undefined ? "" : `, line ${position.line}, column ${position.column}`;
  return `${sentence} (${file}${at})`;
}

const MOST_LISTED = 6;

/** One error for all problems of one file: the first is the sentence, the others follow line by line. */
export function problemsError(kind: ErrorKind, problems: readonly TextProblem[], file?: string): RalphError {
  const sorted = [...problems].sort(byPosition);
  const sentences = sorted.map((problem) => (file === undefined ? problem.sentence : placedSentence(problem, file)));
  const more = sorted.length < MAX_PROBLEMS ? sorted.length - MOST_LISTED : "many";
  const lines = sentences.length > MOST_LISTED ? [...sentences.slice(0, MOST_LISTED), `and ${more} more`] : sentences;
  return new RalphError(kind, lines.join("\n"), { hint: sorted[0]?.hint });
}

export const byPosition = ({ position: a }: TextProblem, { position: b }: TextProblem): number =>
  (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0);
