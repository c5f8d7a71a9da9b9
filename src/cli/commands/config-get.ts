import { getConfig } from "../../app/config.ts";
import type { Input } from "../command.ts";
import { surroundings } from "../flags.ts";
import type { Io } from "../io.ts";

/** Prints a key, or all of the configuration, as it is in effect here. */
export async function run(input: Input, io: Io): Promise<void> {
  const { value, text, origin } = await getConfig(input.args[0], surroundings(input, io));
  if (input.options["json"] === true) {
    io.out(
      `${JSON.stringify({ version: 1, key: input.args[0] ?? null, value, origin: origin ?? null }, undefined, 2)}\n`,
    );
    return;
  }
  io.out(text);
  if (origin !== undefined) io.err(`from: ${origin}\n`);
}
