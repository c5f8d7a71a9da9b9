import { RalphError } from "../domain/error.ts";
import { codeOf } from "./error-code.ts";

/** That something could not be done to the disk: `write FILE`, `create the folder FOLDER`. */
export const ioError = (what: string, cause: unknown): RalphError =>
  new RalphError("io", `Cannot ${what}: ${codeOf(cause)}`, {
    hint: "Check the permissions and the free space",
    cause,
  });

/** What an action on a file that is written returns; if it fails, an error that names the file. */
export function orWriteError<Result>(path: string, action: () => Result): Result {
  try {
    return action();
  } catch (cause) {
    throw ioError(`write ${path}`, cause);
  }
}
