import type { CheckHost } from "../run/checks.ts";
import { RalphError } from "../../domain/error.ts";

/** One result of `doctor`. A problem must be fixed; a warning should be checked. */
export interface Finding {
  readonly level: "ok" | "warning" | "problem";
  /** The name of the check. */
  readonly check: string;
  readonly message: string;
  /** What to do about it; begins with a verb. */
  readonly fix: string | undefined;
}

export const ok = (check: string, message: string): Finding => ({ level: "ok", check, message, fix: undefined });

export const warning = (check: string, message: string, fix: string | undefined): Finding => ({
  level: "warning",
  check,
  message,
  fix,
});

/** Turns a RalphError into a finding. Other errors are bugs. */
export function refused(check: string, error: unknown): Finding {
  if (!(error instanceof RalphError)) throw error;
  return { level: "problem", check, message: error.message, fix: error.hint };
}

/** The options of `doctor`. */
export interface DoctorOptions {
  readonly isRoot: boolean;
  /** Also sends each agent a short prompt and runs the gates. Undefined: neither. */
  readonly probe: CheckHost | undefined;
}
