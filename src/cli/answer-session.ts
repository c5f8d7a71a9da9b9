import type { SessionCommand } from "../app/run/run-door.ts";
import { inputText } from "./input-text.ts";
import type { Io } from "./io.ts";
import { mainBehindDoor } from "./main.ts";

/** Runs a command line that was typed inside a session, in this process. */
export async function answerSession(command: SessionCommand, host: Pick<Io, "self" | "isRoot">): Promise<number> {
  return await mainBehindDoor(command.argv, sessionIo(command, host));
}

function sessionIo(command: SessionCommand, { self, isRoot }: Pick<Io, "self" | "isRoot">): Io {
  const { out, err, drained, env, cwd, typedIn, input, gone } = command;
  return {
    out,
    err,
    drained,
    env,
    cwd,
    typedIn,
    // An agent is not a person at a terminal.
    isInteractive: false,
    hasTerminal: false,
    confirm: async () => false,
    choose: async () => undefined,
    chooseMany: async () => undefined,
    askText: async () => undefined,
    progress: undefined,
    inputBytes: input,
    readInput: async () => await inputText(input()),
    interrupts: () => ({ stop: gone, kill: gone }),
    saveMemory: () => undefined,
    self,
    isRoot,
  };
}
