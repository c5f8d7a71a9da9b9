import { sendRunRequest } from "../../app/run/send-request.ts";
import type { Input } from "../command.ts";
import { printRequestResult } from "../run-messages.ts";
import type { Io } from "../io.ts";

/** Pauses the run in this working tree after its iteration. */
export const pause = async (_: Input, io: Io): Promise<number> =>
  printRequestResult(
    io,
    await sendRunRequest(io.cwd, "pause"),
    "will pause after this iteration, until you run ralphctl resume",
  );

/** Continues the run in this working tree, after a pause or during a wait. */
export const resume = async (_: Input, io: Io): Promise<number> =>
  printRequestResult(io, await sendRunRequest(io.cwd, "resume"), "continues");
