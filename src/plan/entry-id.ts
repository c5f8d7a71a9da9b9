/**
 * Ids in the text of a check box, and what else its line says. The set is small on purpose: "2 factor login",
 * "UTF-8 decoding", "[API] Add route" and "[P1] Fix" are words, not ids.
 *
 * | form | counts as an id |
 * | --- | --- |
 * | `Title <!-- id: foo -->` at the end | `[A-Za-z0-9._-]{1,64}` |
 * | `[t-1a2b] Title`, `[R6] Title` | letters first, a digit somewhere; not `[P0]` … `[P9]`, not a link |
 * | `**AUTH-3**: Title`, `**AUTH-3:** Title`, `AUTH-3: Title` | `ABC-12`, `1.2`, `T012`, `t-1a2b` |
 * | `1.2 Title`, `1.2. Title` | a dotted number before anything but a lower-case word ("3.5 mm jack") |
 * | `T012 Title`, `t-1a2b3c4d Title` | `T` and three digits or more; `t-` and four hex digits or more |
 */
export interface Titled {
  readonly id?: string;
  /** Without the id. */
  readonly title: string;
  /** With it, for the case that the id turns out not to be unique. */
  readonly fullTitle: string;
}

const COMMENT_ID = /^\s*id:\s*([A-Za-z0-9._-]{1,64})\s*$/;
const BRACKETED = /^\[(?!P\d\])([A-Za-z][A-Za-z0-9._-]{0,63})\][ \t]+/;
const NAMED = String.raw`[A-Z][A-Z0-9]{0,15}-\d{1,9}(?:\.\d{1,9}){0,4}|\d{1,9}(?:\.\d{1,9}){1,6}|T\d{2,9}|t-[0-9a-f]{4,32}`;
const DELIMITED = new RegExp(`^(?:\\*\\*(${NAMED})(?::\\*\\*|\\*\\*:?)|(${NAMED}):)[ \\t]+(?:[-–—][ \\t]+)?`);
const BARE = /^(T\d{3,9}|t-[0-9a-f]{4,32})[ \t]+/;
const NUMBERED = /^(\d{1,9}(?:\.\d{1,9}){1,6})[.)]?[ \t]+(?![ \t])/;

/** In a change's `tasks.md` every task is numbered: there `1.2 add it` has an id too. */
export function titledOf(text: string, { isChange }: { readonly isChange: boolean }): Titled {
  const { rest, id } = withoutComments(text);
  if (rest === "") return { title: text, fullTitle: text };
  if (id !== undefined) return { id, title: rest, fullTitle: rest };
  const match = leadingId(rest, isChange);
  const title = match ? rest.slice(match.length).trim() : "";
  if (!match || title === "") return { title: rest, fullTitle: rest };
  return { id: match.id, title, fullTitle: rest };
}

/** Drops the comments that end the line; one of them may carry the id. */
function withoutComments(text: string): { readonly rest: string; readonly id?: string } {
  let rest = text.trim();
  let id: string | undefined;
  while (rest.endsWith("-->")) {
    const start = rest.lastIndexOf("<!--", rest.length - 7);
    if (start === -1) break;
    id ??= COMMENT_ID.exec(rest.slice(start + 4, Math.min(rest.length - 3, start + 200)))?.[1];
    rest = rest.slice(0, start).trimEnd();
  }
  return id === undefined ? { rest } : { rest, id };
}

function leadingId(text: string, isNumbered: boolean): { readonly id: string; readonly length: number } | undefined {
  const bracketed = BRACKETED.exec(text);
  if (bracketed && /\d/.test(bracketed[1]!)) return { id: bracketed[1]!, length: bracketed[0].length };
  const delimited = DELIMITED.exec(text);
  if (delimited) return { id: (delimited[1] ?? delimited[2])!, length: delimited[0].length };
  const bare = BARE.exec(text);
  if (bare) return { id: bare[1]!, length: bare[0].length };
  const numbered = NUMBERED.exec(text);
  if (!numbered || (!isNumbered && /[a-z]/.test(text[numbered[0].length] ?? ""))) return undefined;
  return { id: numbered[1]!, length: numbered[0].length };
}

const NEEDS = /\((?:needs|depends on|blocked by):?[ \t]+([^()]{1,500})\)$/i;

const SEPARATOR = /[,;]|\band\b/;

export const withoutNeeds = (title: string): string => title.slice(0, title.lastIndexOf("(")).trim() || title;

/** The words in `(needs: 1.1, T012)` at the end of a title; whether they are ids of the file is the caller's to see. */
export function trailingNeeds(title: string): readonly string[] {
  // Only the end can match: a long title must not be searched from every bracket in it.
  const list = NEEDS.exec(title.slice(-600))?.[1];
  return list === undefined ? [] : list.split(SEPARATOR).map((part) => part.trim().replace(/^tasks? /i, ""));
}

/** The ids in a list such as `Task 1.1, Task 1.2 (schema) and T012`; none in `None`. */
export function idsIn(list: string): readonly string[] {
  return list
    .split(SEPARATOR)
    .map((part) => /^(?:tasks?\s+)?\[?([A-Za-z0-9._-]{1,64})/i.exec(part.replaceAll(/[*`]/g, "").trim())?.[1] ?? "")
    .map((id) => id.replace(/[.]$/, ""))
    .filter((id) => /\d/.test(id) || id.includes("-"));
}
