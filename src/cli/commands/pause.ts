import { sendRunRequest } from "../../app/run/send-request.ts";
import type { Input } from "../command.ts";
import { printRequestResult } from "../run-messages.ts";
import type { Io } from "../io.ts";

/** Lets the run of this working tree finish its iteration, and begin no other. */
export const pause = async (_: Input, io: Io): Promise<number> =>
  printRequestResult(
    io,
    await sendRunRequest(io.cwd, "pause"),
    "will pause after this iteration, until you run ralphctl resume",
  );

/** Lets the run of this working tree go on, after a pause or in the middle of a wait. */
export const resume = async (_: Input, io: Io): Promise<number> =>
  printRequestResult(io, await sendRunRequest(io.cwd, "resume"), "continues");
