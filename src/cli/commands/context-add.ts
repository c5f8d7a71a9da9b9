import { addContext } from "../../app/context.ts";
import type { Input } from "../command.ts";
import { scopeChoice, surroundings } from "../flags.ts";
import type { Io } from "../io.ts";

/** Adds a paragraph that the next iteration will see. */
export async function run(input: Input, io: Io): Promise<void> {
  const text = input.args[0] === "-" ? await io.readInput() : input.args.join(" ");
  const added = await addContext(text, scopeChoice(input), surroundings(input, io));
  io.err(
    added ? `Added. The next iteration of ${added.scope} will see it.\n` : "Nothing was added: the text is blank.\n",
  );
}
