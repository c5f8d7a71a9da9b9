import { loadConfig } from "../config/config.ts";
import { writeYaml } from "../system/yaml-text.ts";
import type { Surroundings } from "./workspace.ts";

/** A value of the configuration in effect. */
export interface ConfigValue {
  readonly value: unknown;
  /** As YAML. */
  readonly text: string;
  /** Its origin; absent for the whole configuration. */
  readonly origin?: string;
}

/** One key with its origin, or the whole configuration. */
export async function getConfig(key: string | undefined, surroundings: Surroundings): Promise<ConfigValue> {
  const loaded = await loadConfig(surroundings);
  if (key === undefined) return { value: loaded.written, text: writeYaml(loaded.written) };
  const { written, origin } = loaded.lookup(key);
  return { value: written, text: writeYaml(written), origin: origin.text };
}

/** The files in use, highest precedence first. */
export const configFiles = async (surroundings: Surroundings): Promise<readonly string[]> =>
  (await loadConfig(surroundings)).files;

export { type ConfigEdit, configJsonSchema as configSchema } from "../config/config.ts";
