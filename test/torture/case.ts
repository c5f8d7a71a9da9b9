/** All that can be seen when a case is through, in one value. */
export interface Seen {
  /** Exit codes of its runs, in order; -1 when one did not end by itself. */
  readonly codes: readonly number[];
  /** Outcomes of all iterations of all runs. */
  readonly outcomes: readonly string[];
  /** The status of each task by its title. */
  readonly states: Readonly<Record<string, string>>;
  /** Subjects of the commits since the beginning, oldest first. */
  readonly commits: readonly string[];
  /** What runs said beside their success: stopped agents, broken rules, warnings, failures, errors. */
  readonly told: readonly string[];
  /** Living processes of the case, found by its mark in their environment. */
  readonly processes: readonly number[];
  /** What this case alone is about. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** What not every machine has. */
export interface Need {
  readonly what: string;
  /** Why it cannot be had on this machine, if so. */
  readonly missing: () => string | undefined;
}

/** One way to torture the program: the table, the tests and docs/torture.md are made from these. */
export interface TortureCase {
  /** In kebab-case: `npm run torture NAME`. */
  readonly name: string;
  /** Ids of the requirements that it proves. */
  readonly proves: string;
  /** What is done to the program, in a sentence. */
  readonly about: string;
  /** What must come of it, in a sentence. */
  readonly required: string;
  /** Why it takes too long for `npm test`. */
  readonly slow?: string;
  readonly needs?: Need;
  readonly play: () => Promise<Seen>;
  readonly expected: Seen;
}
