import { playScript } from "../../app/scripted-agent.ts";
import type { Input } from "../command.ts";
import type { Io } from "../io.ts";

/** The agent that the harness `scripted` starts: prompt on standard input, events on standard output. */
export async function run({ args: [script = ""] }: Input, io: Io): Promise<number> {
  return await playScript(script, { cwd: io.cwd, env: io.env, readInput: io.readInput });
}
