import { RalphError } from "../domain/error.ts";
import { printable } from "../domain/printable.ts";
import { doorOf } from "../domain/run/session.ts";
import { codeAfterError } from "./exit-code.ts";
import type { Io } from "./io.ts";
import type { SessionDoor } from "./through-door.ts";
import { version } from "../domain/version.ts";

/** Runs one command line and returns its exit code. Never throws. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  // Scripts and shells ask for it all day: answer before loading anything else.
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
    io.out(`${version}\n`);
    return 0;
  }
  return await reportingErrors(io, async () => {
    const door = isLocal(argv) ? undefined : findDoor(io);
    if (door !== undefined) return await (await import("./through-door.ts")).throughDoor(door, argv, io);
    return await (await import("./dispatch.ts")).dispatch(argv, io);
  });
}

/** The same for a command line that came through a door. */
export const mainBehindDoor = async (argv: readonly string[], io: Io): Promise<number> =>
  await reportingErrors(io, async () => await (await import("./dispatch.ts")).dispatch(argv, io));

/** Help needs no tasks, and an agent that we play ourselves is the session. Everything else asks the run (L-07). */
const isLocal = ([first]: readonly string[]): boolean =>
  first === undefined || ["help", "--help", "-h", "scripted-agent", "replay-agent", "acp-agent"].includes(first);

/** The door of the session that this is. */
function findDoor({ env }: Io): SessionDoor | undefined {
  const path = doorOf(env);
  return path === undefined ? undefined : { path, env };
}

async function reportingErrors(io: Io, action: () => Promise<number>): Promise<number> {
  try {
    return await action();
  } catch (error) {
    if (io.paper?.("err") === undefined) io.err(errorText(error));
    else await (await import("./page.ts")).printMessage(io, errorText(error));
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
