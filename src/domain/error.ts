/** What went wrong, as far as the user is concerned. The kind alone decides the exit code (`cli/exit-code.ts`). */
export type ErrorKind =
  /** The command line is wrong, or not allowed here. */
  | "usage"
  /** A file that the user wrote cannot be used: it does not parse, is not text, is too large. */
  | "data"
  /** A program that is needed is not there. */
  | "unavailable"
  /** The disk or the database refused. */
  | "io"
  /** Somebody else holds what is needed. */
  | "busy"
  /** A login was refused. */
  | "login"
  /** Configuration, repository or workspace are not as they must be. */
  | "config";

export interface ErrorDetails {
  /** What to do about it; begins with a verb. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** Something the user can fix. Anything else that is thrown is a bug of ours. */
export class RalphError extends Error {
  readonly kind: ErrorKind;
  readonly hint: string | undefined;

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "RalphError";
    this.kind = kind;
    this.hint = details.hint;
  }
}
