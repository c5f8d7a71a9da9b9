import { isMapping } from "../domain/mapping.ts";
import { parseToml } from "../domain/toml.ts";
import type { ForeignSettings } from "./settings.ts";
import { listOf, wordsOf } from "./words.ts";

/** `.ralph.toml` of the Rust ralph. Undefined for a text that is no TOML. */
export function readRalphToml(text: string): ForeignSettings | undefined {
  const data = parseToml(text.replace(/^\uFEFF/, ""));
  if (data === undefined) return undefined;
  const group = (name: string) => (isMapping(data[name]) ? data[name] : {});
  const specs = listOf(group("specs")["dirs"]).map(wordsOf);
  // Numbers stay as they are written.
  const retries = /^\d{1,4}$/.exec(wordsOf(group("execution")["max_retries"]))?.[0];
  const all = Object.entries(data).flatMap(([name, value]) =>
    isMapping(value) ? Object.keys(value).map((key) => `${name}.${key}`) : [name],
  );
  return {
    specs: specs.filter((folder) => folder !== "" && !folder.startsWith("/") && !folder.split("/").includes("..")),
    // It counts retries, we count attempts.
    limits: retries === undefined ? {} : { attempts: String(Number(retries) + 1) },
    unused: all.filter((name) => name !== "specs.dirs" && name !== "execution.max_retries"),
  };
}
