import { configFiles } from "../../app/config.ts";
import type { Input } from "../command.ts";
import { surroundings } from "../flags.ts";
import type { Io } from "../io.ts";

/** Prints the configuration files that were read, the strongest first. */
export async function run(input: Input, io: Io): Promise<void> {
  const files = await configFiles(surroundings(input, io));
  if (input.options["json"] === true) io.out(`${JSON.stringify({ version: 1, files })}\n`);
  else io.out(files.map((file) => `${file}\n`).join(""));
  if (files.length === 0) io.err("No configuration file found; using the defaults. Create one: ralphctl init\n");
}
