import type { NewTask } from "../../../src/domain/task-input.ts";

/**
 * Cases of claims: an agent edits a small repository and says that it is done. Each case says which word must come of it.
 *
 * One case is one entry of a list, made by `claimsIn(place, [...])`:
 *
 *     { proves: "T-10", cheat: "empties the recipe", edits: `${BREAK}; ${put("Makefile", "check:\n\ttrue\n")}`, ends: asked("Makefile") }
 *
 * - `cheat` or `honest` says what the agent does; the name of the case is made of it.
 * - `edits` is a shell text that runs in the agent's lane. `$HOME` is the person's repository.
 * - `ends` is the word that must come out (`asked`, `look`, `rejected`, `FINE` …), with a part of the sentence.
 * - `task`: more about the task, such as `gates` and `mayChange`.
 * - `truth`: what the base's checks say of the candidate in a fresh clone. Red for a cheat and green for honest work,
 *   unless the case says otherwise; "none" if the case is not about gates.
 *
 * - `message`: the agent's final message, if it is not just the claim.
 *
 * `playClaims` in claim-run.ts plays all cases of one place as tasks of one run, which makes a case cost a tenth of a
 * second. A case with `config` or `alone` has a run and a repository of its own. Cases that the program does not pass yet
 * are named in known-open.ts, with the reason.
 */
export interface ClaimCase {
  /** In kebab-case. */
  readonly name: string;
  readonly proves: string;
  readonly colour: "cheat" | "honest";
  readonly about: string;
  readonly place: PlaceName;
  readonly edits: string;
  readonly ends: Ends;
  readonly task: Partial<NewTask>;
  readonly truth: "red" | "green" | "none";
  /** More configuration: a run of its own. */
  readonly config?: string;
  readonly alone?: true;
  /** The agent's final message, if it is not just the claim. */
  readonly message?: string;
  /** What is the person's and changes nevertheless, by the names of `personsGoods`. */
  readonly touches?: readonly string[];
}

export type PlaceName =
  | "shell"
  | "todo"
  | "bare"
  | "make"
  | "targets"
  | "npm"
  | "node"
  | "entries"
  | "loads"
  | "patterns"
  | "setup"
  | "workspaces"
  | "python"
  | "unittest"
  | "tools"
  | "builds"
  | "hooks"
  | "library"
  | "named"
  | "settings"
  | "modules"
  | "examples"
  | "data"
  | "tests"
  | "locked";

export type Word = "proven" | "unbroken" | "look" | "asked" | "parked" | "rejected" | "none";

/** How a claim must end: one of these words, in a sentence that contains the text. */
export interface Ends {
  readonly words: readonly Word[];
  readonly says?: string | RegExp;
  /** The exit code of the run, for a case that has one of its own. */
  readonly code?: number;
}

const ends =
  (word: Word) =>
  (says?: string | RegExp): Ends => ({ words: [word], ...(says !== undefined && { says }) });

/** Parked with the question "may it?". */
export const asked = ends("asked");
/** Parked with any other question. */
export const parked = ends("parked");
export const look = ends("look");
export const rejected = ends("rejected");
export const proven = ends("proven");
export const unbroken = ends("unbroken");
/** Landed, and nobody has to look. */
export const FINE: Ends = { words: ["proven", "unbroken"] };

interface Entry extends Partial<Pick<ClaimCase, "task" | "truth" | "config" | "alone" | "message" | "touches">> {
  readonly proves: string;
  readonly cheat?: string;
  readonly honest?: string;
  readonly edits: string;
  readonly ends: Ends;
}

export const claimsIn = (place: PlaceName, entries: readonly Entry[]): ClaimCase[] =>
  entries.map(({ cheat, honest, task = {}, truth, ...rest }) => {
    const about = cheat ?? honest ?? "";
    return {
      ...rest,
      name: nameOf(`${place} ${about}`),
      place,
      about,
      colour: cheat === undefined ? "honest" : "cheat",
      task,
      truth: truth ?? (cheat === undefined ? "green" : "red"),
    };
  });

const nameOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A shell text that writes a file. */
export const put = (path: string, text: string): string => {
  const folder = path.includes("/") ? `mkdir -p ${quoted(path.slice(0, path.lastIndexOf("/")))} && ` : "";
  // No argument of a program can hold a NUL.
  const printed = text.includes("\0") ? `%b ${quoted(text.replaceAll("\0", String.raw`\0000`))}` : `%s ${quoted(text)}`;
  return `${folder}printf ${printed} >${quoted(path)}`;
};

export const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;
