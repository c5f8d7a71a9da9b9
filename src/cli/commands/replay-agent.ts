import { playRecording } from "../../app/replay-agent.ts";
import type { Input } from "../command.ts";
import type { Io } from "../io.ts";

/** The agent that the harness `replay` starts: events of a recorded iteration on standard output. */
export async function run({ args: [folder = ""] }: Input, io: Io): Promise<number> {
  return await playRecording(folder, { cwd: io.cwd, env: io.env });
}
