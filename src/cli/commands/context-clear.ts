import { emptyContext } from "../../app/context.ts";
import type { Input } from "../command.ts";
import { scopeChoice, surroundings } from "../flags.ts";
import type { Io } from "../io.ts";

/** Empties the context. */
export async function run(input: Input, io: Io): Promise<void> {
  const { scope } = await emptyContext(scopeChoice(input), surroundings(input, io));
  io.err(`The context of ${scope} is empty now.\n`);
}
