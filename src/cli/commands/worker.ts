import { work } from "../../app/fleet/worker.ts";
import { settleTrust } from "../../app/trust/trust.ts";
import { printable } from "../../domain/printable.ts";
import type { Input } from "../command.ts";
import { loopSurroundings } from "../flags.ts";
import type { Io } from "../io.ts";
import { openRunOutput } from "../run-output.ts";

/** Works on the runs of a fleet, and prints what it does. */
export async function run(input: Input, io: Io): Promise<void> {
  if (io.isInteractive) await settleTrust({}, loopSurroundings(input, io));
  const output = await openRunOutput({ ...input, options: { ...input.options, plain: true } }, io);
  try {
    await work(
      { isOnce: input.options["once"] === true, say: (sentence) => io.err(`${printable(sentence)}\n`) },
      output.host,
    );
  } finally {
    output.close();
  }
}
