import type { CheckHost } from "../run/checks.ts";
import { RalphError } from "../../domain/error.ts";

/** One line of a check-up. A problem must be solved; a warning should be looked at. */
export interface Finding {
  readonly level: "ok" | "warning" | "problem";
  /** Which check it is of. */
  readonly check: string;
  readonly message: string;
  /** What to do about it; begins with a verb. */
  readonly fix: string | undefined;
}

export const ok = (check: string, message: string): Finding => ({ level: "ok", check, message, fix: undefined });

/** What was looked at is refused: that is what a check-up is for, so the error is the finding. All else is a bug. */
export function refused(check: string, error: unknown): Finding {
  if (!(error instanceof RalphError)) throw error;
  return { level: "problem", check, message: error.message, fix: error.hint };
}

/** What a check-up may do. */
export interface DoctorOptions {
  readonly isRoot: boolean;
  /** Also tries what is there: agents are sent one word, gates are run. Undefined: nothing is sent or run. */
  readonly probe: CheckHost | undefined;
}
