import { isMapping, type Mapping } from "../../domain/mapping.ts";
import { readYaml } from "../../system/yaml-text.ts";
import { plainPartsOf, remembered } from "./plain-parts.ts";

export { isGrown, isSame, valueAt } from "./plain-parts.ts";

/** The named parts of a file, by the format that its name says; undefined if it has none or does not parse. */
export const partsOf = (path: string, text: string): Mapping | undefined =>
  /(?<!(?:^|\/)pnpm-lock)\.ya?ml$/i.test(path) ? remembered(parseYaml, text) : plainPartsOf(path, text);

function parseYaml(text: string): Mapping | undefined {
  const read = readYaml(text);
  return read.kind === "read" && isMapping(read.data) ? read.data : undefined;
}
