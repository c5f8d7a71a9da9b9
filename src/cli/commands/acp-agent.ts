import { talkToAgent } from "../../app/acp-agent.ts";
import { type Input, textOption } from "../command.ts";
import type { Io } from "../io.ts";

/** The program that the harness `acp` starts: prompt on standard input, lines of the conversation on standard output. */
export async function run(input: Input, io: Io): Promise<number> {
  const [file = "", ...args] = input.args;
  // Before the first await: a signal shall find us ready.
  const { stop, kill } = io.interrupts();
  return await talkToAgent({
    command: [file, ...args],
    prompt: await io.readInput(),
    model: textOption(input, "model"),
    permissions: textOption(input, "permissions") === "reject" ? "reject" : "allow",
    log: textOption(input, "log"),
    cwd: io.cwd,
    env: io.env,
    stop,
    kill,
  });
}
