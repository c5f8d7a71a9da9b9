import { approveGates } from "../../app/approve-gates.ts";
import { printable } from "../../domain/printable.ts";
import type { Input } from "../command.ts";
import { caller } from "../flags.ts";
import type { Io } from "../io.ts";
import { isJson, printJson } from "../json.ts";

/** Lets checks that agents wrote verify work from now on (T-12). */
export async function run(input: Input, io: Io): Promise<void> {
  const gates = await approveGates(input.args, caller(input, io));
  if (isJson(input)) printJson(io, { version: 1, gates });
  else if (gates.length === 0) io.out("No gate waits for approval\n");
  else
    for (const { id, run: command, task } of gates)
      io.out(printable(`Approved ${id}: ${command}, written in ${task}\n`));
}
