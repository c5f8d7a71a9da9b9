import type { Config } from "../config/config.ts";
import type { Harness } from "../harness/harness.ts";
import * as catalogue from "../harness/index.ts";

/**
 * Every harness by its name: ours, those of a program that uses the library, which take the place of ours, and those that
 * the configuration makes of a kind. Names are own ones only: `toString` is not a harness.
 */
export function knownHarnesses(
  { harnesses }: Pick<Config, "harnesses">,
  ofProgram: Readonly<Record<string, Harness>> = {},
): Readonly<Record<string, Harness>> {
  const known: Record<string, Harness> = { ...catalogue, ...ofProgram };
  for (const [name, settings] of Object.entries(harnesses)) {
    const own = Object.hasOwn(known, name) ? known[name] : undefined;
    const harness = settings.kind === "acp" ? catalogue.acp : own;
    if (harness !== undefined) known[name] = harness.told?.(settings) ?? harness;
  }
  return known;
}
