import { type ErrorKind, RalphError } from "../domain/error.ts";
import type { RunEnding } from "../domain/run/policy.ts";

/** How a command can end, besides a user error. */
type Ending = RunEnding | "bug";

/** Every exit code and what it means. Scripts depend on these numbers: changing one is a breaking change. */
export const EXIT_CODES = {
  complete: {
    code: 0,
    meaning:
      "complete and verified: every task is proven or unbroken, or a person says so; for other commands: success",
  },
  failure: {
    code: 1,
    meaning: "failure: the agent gave up, harness errors in a row, stuck, or tasks failed; `verify`: not verified",
  },
  blocked: { code: 2, meaning: "blocked: tasks remain and none can become ready, or a person is needed" },
  nothing: { code: 3, meaning: "nothing to do" },
  limit: { code: 4, meaning: "a limit was reached with work left" },
  unverified: { code: 5, meaning: "complete, but unverified: a person should look first, or `--strict` asks for more" },
  usage: { code: 64, meaning: "the command line is wrong, or not allowed from inside a session" },
  data: { code: 65, meaning: "a file does not parse or cannot be used" },
  unavailable: {
    code: 69,
    meaning: "a harness, another program, a database of a fleet, or the run of a session is not available",
  },
  bug: { code: 70, meaning: "a bug in ralphctl" },
  io: { code: 74, meaning: "a disk or database error" },
  busy: { code: 75, meaning: "another run or a git command is using the working tree" },
  login: { code: 77, meaning: "no login, login refused, or a billing problem" },
  config: {
    code: 78,
    meaning: "invalid configuration, a model that no agent has, no repository, no workspace, or no commit yet",
  },
  interrupted: { code: 130, meaning: "interrupted" },
} as const satisfies Record<ErrorKind | Ending, { code: number; meaning: string }>;

/** A RalphError's kind decides; any other error is a bug. */
export const codeAfterError = (error: unknown): number =>
  error instanceof RalphError ? EXIT_CODES[error.kind].code : EXIT_CODES.bug.code;

export const codeAfterRun = (ending: RunEnding): number => EXIT_CODES[ending].code;

/** The same for a log, which a later version may have written. */
export const codeAfterLog = ({
  ending,
  error = ending,
}: {
  readonly ending: string;
  readonly error?: string;
}): number =>
  Object.hasOwn(EXIT_CODES, error) ? EXIT_CODES[error as Ending | ErrorKind].code : EXIT_CODES.failure.code;
