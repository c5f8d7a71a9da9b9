import { configSchema } from "../../app/config.ts";
import type { Input } from "../command.ts";
import type { Io } from "../io.ts";

/** Prints the JSON Schema of the configuration file, for editors. */
export async function run(_input: Input, io: Io): Promise<void> {
  io.out(`${JSON.stringify(await configSchema(), undefined, 2)}\n`);
}
