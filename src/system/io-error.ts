import { RalphError } from "../domain/error.ts";
import { codeOf } from "./error-code.ts";

/** An error for a failed disk operation: `write FILE`, `create the folder FOLDER`. */
export const ioError = (what: string, cause: unknown): RalphError =>
  new RalphError("io", `Cannot ${what}: ${codeOf(cause)}`, {
    hint: "Check the permissions and the free space",
    cause,
  });

/** Runs an action that writes a file; a failure becomes an error that names the file. */
export function orWriteError<Result>(path: string, action: () => Result): Result {
  try {
    return action();
  } catch (cause) {
    throw ioError(`write ${path}`, cause);
  }
}
