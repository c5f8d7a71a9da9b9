/** Kinds of errors for users. The kind decides the exit code (`cli/exit-code.ts`). */
export type ErrorKind =
  /** The command line is wrong, or not allowed here. */
  | "usage"
  /** A user's file is unusable: it does not parse, is not text, or is too large. */
  | "data"
  /** A required program is missing. */
  | "unavailable"
  /** Disk or database error. */
  | "io"
  /** Another process holds a required resource. */
  | "busy"
  /** A login was refused. */
  | "login"
  /** A problem with configuration, repository or workspace. */
  | "config"
  /** A person ended it before it began. */
  | "interrupted";

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

/** An error that the user can fix. Anything else that is thrown is a bug in ralphctl. */
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
