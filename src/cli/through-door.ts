import { callDoor } from "../app/call-door.ts";
import { type Environment, VARIABLE_PREFIX } from "../domain/environment.ts";
import type { Io } from "./io.ts";

/** A session, as its environment describes it, and the socket of its run. */
export interface SessionDoor {
  readonly path: string;
  readonly env: Environment;
}

/** Has the run of a session run a command line: the folder of a session may have no tasks. */
export async function throughDoor({ path, env }: SessionDoor, argv: readonly string[], io: Io): Promise<number> {
  const own = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[0].startsWith(VARIABLE_PREFIX) && entry[1] !== undefined,
  );
  let isReading = false;
  const input = (): AsyncIterable<Uint8Array> => {
    isReading = true;
    return io.inputBytes();
  };
  const { out, err, drained } = io;
  try {
    return await callDoor(path, { argv, env: Object.fromEntries(own), cwd: io.cwd }, { out, err, drained, input });
  } finally {
    if (isReading) io.endInput?.();
  }
}
