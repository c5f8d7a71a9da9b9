import { showContext } from "../../app/context.ts";
import type { Input } from "../command.ts";
import { scopeChoice, surroundings } from "../flags.ts";
import type { Io } from "../io.ts";

/** Prints what the next iteration will be told in addition. */
export async function run(input: Input, io: Io): Promise<void> {
  const { scope, text } = await showContext(scopeChoice(input), surroundings(input, io));
  if (input.options["json"] === true) io.out(`${JSON.stringify({ version: 1, scope, text })}\n`);
  else if (text.trim() === "") io.err(`There is no context for ${scope}. Add some: ralphctl context add TEXT\n`);
  else io.out(text);
}
