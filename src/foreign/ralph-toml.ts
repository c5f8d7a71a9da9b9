import { isMapping } from "../domain/mapping.ts";
import { parseToml } from "../domain/toml.ts";
import { listOf, wordsOf } from "./words.ts";

/** What `.ralph.toml` of the Rust ralph says, as far as it has a meaning here. */
export interface RalphToml {
  readonly specs: readonly string[];
  /** It counts retries, we count attempts. */
  readonly attempts: number | undefined;
}

/** Undefined for a text that is no TOML. Other keys have no meaning here: the guide says so. */
export function readRalphToml(text: string): RalphToml | undefined {
  const data = parseToml(text.replace(/^\uFEFF/, ""));
  if (data === undefined) return undefined;
  const group = (name: string) => (isMapping(data[name]) ? data[name] : {});
  const specs = listOf(group("specs")["dirs"]).map(wordsOf);
  // Numbers stay as they are written.
  const retries = /^\d{1,4}$/.exec(wordsOf(group("execution")["max_retries"]))?.[0];
  return {
    specs: specs.filter((folder) => folder !== "" && !folder.startsWith("/") && !folder.split("/").includes("..")),
    attempts: retries === undefined ? undefined : Number(retries) + 1,
  };
}
