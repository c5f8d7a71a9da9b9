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

/** What an error is about, for code that acts on it: the message is for people only. */
export type ErrorSubject =
  | { readonly kind: "no such task" }
  | { readonly kind: "id taken"; readonly id: string }
  | { readonly kind: "ambiguous id"; readonly matches: readonly string[] }
  /** PROGRESS.yaml of a sprint cannot be used. */
  | { readonly kind: "progress file" };

export interface ErrorDetails {
  /** What to do about it; begins with a verb. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  readonly about?: ErrorSubject | undefined;
}

/** Something the user can fix. Anything else that is thrown is a bug of ours. */
export class RalphError extends Error {
  readonly kind: ErrorKind;
  readonly hint: string | undefined;
  readonly about: ErrorSubject | undefined;

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "RalphError";
    this.kind = kind;
    this.hint = details.hint;
    this.about = details.about;
  }
}
