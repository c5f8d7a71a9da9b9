import type { CheckHost } from "../run/checks.ts";

/** What a check-up may do. */
export interface CheckUp {
  readonly isRoot: boolean;
  /** Also tries what is there: agents are sent one word, gates are run. Undefined: nothing is sent or run. */
  readonly probe: CheckHost | undefined;
}
