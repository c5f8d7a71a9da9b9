import { RalphError } from "../domain/error.ts";
import { printable } from "../domain/printable.ts";
import { codeAfterError } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { version } from "../domain/version.ts";

/** Runs one command line and returns its exit code. Never throws. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    // Scripts and shells ask for it all day: answer before loading anything else.
    if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
      io.out(`${version}\n`);
      return 0;
    }
    const { dispatch } = await import("./dispatch.ts");
    return await dispatch(argv, io);
  } catch (error) {
    io.err(errorText(error));
    return codeAfterError(error);
  }
}

/** A message and hint for a user error; a stack for a bug. */
function errorText(error: unknown): string {
  if (error instanceof RalphError) {
    return `error: ${printable(error.message)}\n${error.hint === undefined ? "" : `hint: ${printable(error.hint)}\n`}`;
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `This is a bug in ralphctl ${version}. Please report it with these lines:\n${printable(stack)}\n`;
}
