import { RalphError } from "../../domain/error.ts";

/** Serialisation failures and deadlocks: the server undid one of two transactions, which may just try again. */
export const isRetryable = (error: unknown): boolean => ["40001", "40P01"].includes(codeOf(error));

export const codeOf = (error: unknown): string => {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : "";
};

/** Errors that a person can do something about, by the code of the server or of the system. */
const KNOWN: readonly [codes: RegExp, make: (name: string, words: string) => RalphError][] = [
  [
    /^(ECONNREFUSED|EACCES|EPERM|ENOENT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ECONNRESET|EPIPE|57P0\d|08...)$/,
    (name, words) =>
      new RalphError("unavailable", `PostgreSQL at ${name} cannot be reached: ${words}`, {
        hint: "Check that the server runs, and host and port of the address",
      }),
  ],
  [
    /^28...$/,
    (name, words) =>
      new RalphError("login", `PostgreSQL at ${name} refused the login: ${words}`, {
        hint: /(?:no|SSL) encryption$/.test(words)
          ? "Check user and database, and whether the server wants TLS: ?sslmode=verify-full or ?sslmode=disable"
          : "Check user and password; a password may also be in ~/.pgpass",
      }),
  ],
  [
    /^3D000$/,
    (name, words) =>
      new RalphError("config", `PostgreSQL at ${name} has no such database: ${words}`, {
        hint: "Create it with createdb, or correct the address",
      }),
  ],
  [
    /^42501$/,
    (name, words) =>
      new RalphError("config", `The role may not do this in PostgreSQL at ${name}: ${words}`, {
        hint: "Ask the one who runs the server for the statements of: ralphctl fleet init --print-sql",
      }),
  ],
];

export function translated(error: unknown, name: string): unknown {
  if (error instanceof RalphError || !(error instanceof Error)) return error;
  // Several addresses of one host: each has its own error, and the first says enough.
  const first = error instanceof AggregateError ? ((error.errors[0] as Error | undefined) ?? error) : error;
  const code = codeOf(first);
  const words = first.message.split("\n")[0]!;
  const file = fileError(name, words);
  if (file !== undefined) return withCause(file, error);
  const known = KNOWN.find(([codes]) => codes.test(code))?.[1](name, words);
  if (known !== undefined) return withCause(known, error);
  return (
    passwordError(name, words) ??
    tlsError(name, words) ??
    lostError(name, words) ??
    databaseError(name, { code, words, error })
  );
}

/** Of the files that an address may name. */
const fileError = (name: string, words: string): RalphError | undefined =>
  /^E[A-Z]+: .*, (?:open|read)\b/.test(words)
    ? new RalphError("config", `A file for TLS to PostgreSQL at ${name} cannot be read: ${words}`, {
        hint: "Correct sslrootcert, sslcert or sslkey in the address",
      })
    : undefined;

const passwordError = (name: string, words: string): RalphError | undefined =>
  /^SASL: .*password must be/.test(words)
    ? new RalphError("login", `PostgreSQL at ${name} asks for a password, and there is none`, {
        hint: "Put it into ~/.pgpass, which only you may read, or the whole address into a file: @FILE",
      })
    : undefined;

const tlsError = (name: string, words: string): RalphError | undefined =>
  /SSL|certificate|self-signed|TLS|PEM routines/i.test(words)
    ? new RalphError("config", `PostgreSQL at ${name} and this machine do not agree about TLS: ${words}`, {
        hint: "Say in the address what is meant: ?sslmode=disable, ?sslmode=verify-full&sslrootcert=FILE",
      })
    : undefined;

const lostError = (name: string, words: string): RalphError | undefined =>
  /^(Connection terminated|timeout exceeded when trying to connect)/.test(words)
    ? new RalphError("unavailable", `PostgreSQL at ${name} cannot be reached: ${words}`, {
        hint: "Check that the server runs, and host and port of the address",
      })
    : undefined;

/** An error of the server without a rule of its own is told in its words; anything else is a bug of ours. */
const databaseError = (
  name: string,
  { code, words, error }: { readonly code: string; readonly words: string; readonly error: Error },
): Error =>
  /^[0-9A-Z]{5}$/.test(code)
    ? new RalphError("io", `PostgreSQL at ${name} reported an error: ${words} (${code})`, {
        hint: "Look into the log of the server",
        cause: error,
      })
    : error;

const withCause = (known: RalphError, cause: unknown): RalphError => Object.assign(known, { cause });
