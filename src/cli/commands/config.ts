import { configFiles, configSchema, getConfig } from "../../app/config.ts";
import type { Input } from "../command.ts";
import { surroundings } from "../flags.ts";
import type { Io } from "../io.ts";
import { isJson, printJson } from "../json.ts";

/** Prints a key, or all of the configuration, as it is in effect here. */
export async function get(input: Input, io: Io): Promise<void> {
  const { value, text, origin } = await getConfig(input.args[0], surroundings(input, io));
  if (isJson(input)) return printJson(io, { version: 1, key: input.args[0] ?? null, value, origin: origin ?? null });
  io.out(text);
  if (origin !== undefined) io.err(`from: ${origin}\n`);
}

/** Prints the configuration files that were read, the strongest first. */
export async function path(input: Input, io: Io): Promise<void> {
  const files = await configFiles(surroundings(input, io));
  if (isJson(input)) io.out(`${JSON.stringify({ version: 1, files })}\n`);
  else io.out(files.map((file) => `${file}\n`).join(""));
  if (files.length === 0) io.err("No configuration file found; using the defaults. Create one: ralphctl init\n");
}

/** Prints the JSON Schema of the configuration file, for editors. */
export async function schema(_input: Input, io: Io): Promise<void> {
  printJson(io, await configSchema());
}
