import { lookup } from "../../format/run-text.ts";
import { printable } from "../../domain/printable.ts";
import type { IterationRecord } from "../../domain/run/iteration-record.ts";
import type { IterationOutcome } from "../../domain/run/outcome.ts";
import type { TaskState } from "../../domain/task-state.ts";

/** Escapes untrusted text: it can neither end an element nor begin one (W-04). */
export const escaped = (text: string): string =>
  printable(text).replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

/** An element with text that is not ours. */
export const element = (name: string, text: string, attributes = ""): string =>
  `<${name}${attributes === "" ? "" : ` ${attributes}`}>${escaped(text)}</${name}>`;

/** A column of short values, which never wrap, or of long texts, which do. */
export type Column = string | { readonly long: string };

/** Rows of a table; the cells are markup already. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const head = columns.map((column) => element("th", typeof column === "string" ? column : column.long)).join("");
  const cell = (markup: string, at: number): string =>
    `<td${typeof columns[at] === "string" ? "" : ' class="long"'}>${markup}</td>`;
  const body = rows.map((cells) => `<tr>${cells.map(cell).join("")}</tr>`).join("\n");
  return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>`;
}

/** The colour of a state or outcome. */
export type Tone = "good" | "bad" | "warn" | "idle";

const OUTCOME_TONES: Readonly<Partial<Record<IterationOutcome, Tone>>> = {
  verified: "good",
  rejected: "bad",
  "gave-up": "bad",
  crashed: "bad",
  "timed-out": "bad",
  failure: "bad",
  parked: "warn",
  limited: "warn",
  outage: "warn",
  login: "warn",
};

/** Work that was accepted, but not by a gate of the workspace, is no more than a warning. */
export function outcomeTone(finished: IterationRecord["finished"]): Tone {
  if (finished === undefined) return "idle";
  return finished.strength === "look" ? "warn" : (lookup(OUTCOME_TONES, finished.outcome) ?? "idle");
}

const STATE_TONES: Readonly<Partial<Record<TaskState, Tone>>> = { done: "good", failed: "bad", parked: "warn" };

export const stateTone = (state: TaskState): Tone => lookup(STATE_TONES, state) ?? "idle";
