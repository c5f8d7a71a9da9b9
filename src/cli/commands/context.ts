import { addContext, emptyContext, showContext } from "../../app/context.ts";
import { printableLine } from "../../domain/printable.ts";
import type { Input } from "../command.ts";
import { scopeChoice, surroundings } from "../flags.ts";
import type { Io } from "../io.ts";

/** Adds a paragraph that the next iteration will see. */
export async function add(input: Input, io: Io): Promise<void> {
  await runContextAdd(input.args[0] === "-" ? await io.readInput() : input.args.join(" "), input, io);
}

/** Adds a text, and says whether there was anything to add. */
export async function runContextAdd(text: string, input: Input, io: Io): Promise<void> {
  const added = await addContext(text, scopeChoice(input), surroundings(input, io));
  io.err(
    added ? `Added. The next iteration of ${added.scope} will see it.\n` : "Nothing was added: the text is blank.\n",
  );
}

/** Empties the context, and says whose. */
export async function clear(input: Input, io: Io): Promise<void> {
  const { scope, others } = await emptyContext(scopeChoice(input), surroundings(input, io));
  io.err(`Cleared the context of ${scope}.\n`);
  if (others.length > 0) io.err(printableLine(`Agents still read ${others.join(", ")}: empty it there`) + "\n");
}

/** Prints what the next iteration will be told in addition. */
export async function show(input: Input, io: Io): Promise<void> {
  const { scope, text, others } = await showContext(scopeChoice(input), surroundings(input, io));
  if (input.options["json"] === true) io.out(`${JSON.stringify({ version: 1, scope, text })}\n`);
  else if (text.trim() === "") io.err(`No context for ${scope}. Add some: ralphctl context add TEXT\n`);
  else io.out(text);
  if (others.length > 0) io.err(printableLine(`Part of it is ${others.join(", ")}`) + "\n");
}
