import { DEFAULT_PRIORITY } from "../domain/task.ts";
import type { PlanEntry } from "./entry.ts";

// A file may say more than a task can hold. It is cut there, and not refused: one long line must not stop the rest.
const MAX_TITLE = 1_000;
const MAX_TEXT = 1_000_000;
const MAX_ITEMS = 10_000;
const MAX_PRIORITY = 2 ** 31;

export interface FittedEntry {
  readonly title: string;
  readonly description: string;
  readonly acceptance: readonly string[];
  readonly priority: number;
}

/** What a task takes over from an entry. */
export function fitEntry({ title, description, acceptance, priority }: PlanEntry): FittedEntry {
  const isLong = title.length > MAX_TITLE;
  const words = [...(isLong ? [title] : []), ...(description === "" ? [] : [description])].join("\n\n");
  return {
    title: cut(title, MAX_TITLE).replace(/^[\s\u0000-\u001f\u007f-\u009f]*$/u, "(untitled)"),
    description: cut(words, MAX_TEXT),
    acceptance: acceptance.slice(0, MAX_ITEMS).map((item) => cut(item, MAX_TEXT)),
    priority:
      priority === undefined || Number.isNaN(priority)
        ? DEFAULT_PRIORITY
        : Math.max(-MAX_PRIORITY, Math.min(MAX_PRIORITY, Math.round(priority))),
  };
}

const cut = (text: string, limit: number): string => (text.length <= limit ? text : `${text.slice(0, limit - 1)}…`);
