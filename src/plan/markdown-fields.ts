import { idsIn } from "./entry-id.ts";
import { isBlank, type PlanLine } from "./markdown-line.ts";

/** The text of a body without the indentation its lines share and without blank lines at either end. */
export function textOf(body: readonly PlanLine[]): string {
  let from = 0;
  let to = body.length;
  while (from < to && isBlank(body[from]!)) from += 1;
  while (to > from && isBlank(body[to - 1]!)) to -= 1;
  const lines = body.slice(from, to);
  let shared = Number.POSITIVE_INFINITY;
  for (const line of lines) if (!isBlank(line)) shared = Math.min(shared, line.first);
  return lines.map((line) => line.text.slice(Math.min(shared, line.first)).trimEnd()).join("\n");
}

/** A bullet of the form `- **Name**: value`, `- Name: value` or `**Name:** value`. */
export interface PlanField {
  /** Lower case. */
  readonly name: string;
  readonly value: string;
  readonly line: PlanLine;
  /** Where the value starts in the line. */
  readonly valueAt: number;
}

const FIELD = /(?:[-*+][ \t]+)?\*{0,2}([A-Za-z][A-Za-z ]{0,30}):?\*{0,2}:?(?=[ \t]|$)[ \t]*/y;

export function fieldOf(line: PlanLine): PlanField | undefined {
  if (line.isVerbatim) return undefined;
  FIELD.lastIndex = line.first;
  const match = FIELD.exec(line.text);
  if (!match || !match[0].includes(":")) return undefined;
  const valueAt = line.first + match[0].length;
  return { name: match[1]!.trim().toLowerCase(), value: line.text.slice(valueAt).trim(), line, valueAt };
}

const NEEDS = new Set(["needs", "depends on", "dependencies", "blocked by"]);
const ACCEPTANCE = new Set(["acceptance", "acceptance criteria", "done when"]);

/** Ids in `- Depends on: T001, T002` and its synonyms. */
export function neededIn(fields: readonly PlanField[]): string[] {
  return fields.filter(({ name }) => NEEDS.has(name)).flatMap(({ value }) => idsIn(value));
}

/** `- Acceptance: text` and the bullets indented below it. */
export function acceptanceIn(body: readonly PlanLine[]): string[] {
  const found: string[] = [];
  let under: number | undefined;
  for (const line of body) {
    if (isBlank(line) || line.isVerbatim) continue;
    if (under !== undefined && line.indent > under) {
      const bullet = /^(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?/.exec(line.text.slice(line.first, line.first + 64));
      if (bullet) found.push(line.text.slice(line.first + bullet[0].length).trim());
      continue;
    }
    const field = fieldOf(line);
    under = field && ACCEPTANCE.has(field.name) ? line.indent : undefined;
    if (under !== undefined && field!.value !== "") found.push(field!.value);
  }
  return found.filter((text) => text !== "");
}

export const fieldsOf = (body: readonly PlanLine[]): PlanField[] =>
  body.map(fieldOf).filter((field) => field !== undefined);
