import { addContext, emptyContext } from "../app/context.ts";
import type { Input } from "./command.ts";
import { scopeChoice, surroundings } from "./flags.ts";
import type { Io } from "./io.ts";

/** Adds a paragraph that the next iteration will see, and says whether there was anything to add. */
export async function addAndTell(text: string, input: Input, io: Io): Promise<void> {
  const added = await addContext(text, scopeChoice(input), surroundings(input, io));
  io.err(
    added ? `Added. The next iteration of ${added.scope} will see it.\n` : "Nothing was added: the text is blank.\n",
  );
}

/** Empties the context, and says whose. */
export async function clearAndTell(input: Input, io: Io): Promise<void> {
  const { scope } = await emptyContext(scopeChoice(input), surroundings(input, io));
  io.err(`The context of ${scope} is empty now.\n`);
}
