import { matches } from "../../domain/glob.ts";
import { isProduct } from "./product-name.ts";
import { UNKNOWN } from "./shell.ts";

/** Texts for people, names of versions, and manifests, of which other rules know which parts decide. */
const OTHERS =
  /\.(?:md|mdx|rst|adoc|lock|html?|css|scss|sql|proto|graphql)$|(?:^|\/)(?:docs?\/|(?:VERSION|CHANGELOG|CHANGES|NEWS|README|LICEN[CS]E|NOTICE|AUTHORS)(?:\.\w+)?$|[^/]*(?:package|manifest|lock)[^/]*\.(?:json|ya?ml|toml)$|\.(?:gitignore|gitattributes)$)/i;

export const CODE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|py|rb|go|rs|php|java|kts?|cs|c|cc|cpp|h|hpp|sh|bash|ex|exs|swift|scala)$/;

/** Data by its name: neither code nor a text for people. */
export const isData = (path: string): boolean => !CODE.test(path) && !OTHERS.test(path);

/** The words of a command that may name files from which it reads, as it writes them. Folders only of programs that compare. */
export function wordsRead(program: string, args: readonly string[]): string[] {
  const words = args
    .flatMap((word) => [word, word.slice(word.indexOf("=") + 1)])
    .filter((word) => /^[\w.@*?/-]*[\w*]\/?$/.test(word) && !word.includes(UNKNOWN));
  if (/^(?:diff|cmp|comm)$/.test(program)) return words.flatMap((word) => [word, `${word.replace(/\/$/, "")}/**`]);
  // What belongs to each file of a loop lies beside it.
  return program === "for" ? words.map((word) => word.replace(/(?<=\/)[^/]*[*?][^/]*$/, "*")) : words;
}

/** T-11: whether a gate reads a file as data. Its work and the data with which it compares may look the same. */
export const isReadData = (path: string, reads: () => ReadonlySet<string>, { isNew = false } = {}): boolean =>
  isData(path) &&
  !isProduct("", path) &&
  (reads().has(path) || (!isNew && [...reads()].some((read) => /[*?]/.test(read) && matches(read, path))));

/** Whether a text only got more lines: all that was said in it still is. */
export function hasMoreLines(before: string, after: string): boolean {
  const [old, now] = [before, after].map((text) =>
    text
      .split("\n")
      .map((line) => line.trim().replace(/,$/, ""))
      .filter((line) => line !== ""),
  );
  let at = 0;
  for (const line of now!) if (line === old![at]) at += 1;
  return at === old!.length;
}
