import type { FoundItem } from "../app/found/found.ts";
import { aligned } from "./page-parts.ts";
import { truncate } from "./run-text.ts";

/** Names and commands are written by others: one long line must not hide the rest. */
const LONGEST = 300;

/** What was there already and how it is used, under a heading; nothing without any. */
export const foundLines = (found: readonly Pick<FoundItem, "name" | "what" | "use">[]): string[] =>
  found.length === 0
    ? []
    : [
        "Found here",
        ...aligned(
          found.map(({ name, what, use }) => [name, [what, use].map((text) => truncate(text, LONGEST))] as const),
        ),
      ];
