import { posix } from "node:path";

/** A test file before and after the work. */
export interface TestTexts {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** From old names of the product to new ones. */
export type Names = ReadonlyMap<string, string>;

/**
 * T-11: whether a test only imports files from the places to which they moved, and calls what was renamed by its new name.
 * `renames`: from old paths to new ones. Assertions and data stay as they were.
 */
export function isSameTest(
  { path, before, after }: TestTexts,
  renames: ReadonlyMap<string, string>,
  names: Names = new Map(),
): boolean {
  const [old, now] = [before.split("\n"), after.split("\n")];
  return old.length === now.length && old.every((line, index) => isSameLine(line, now[index]!));

  function isSameLine(line: string, changed: string): boolean {
    const named = [line, ...(names.size === 0 ? [] : [renamed(line, names), renamed(line, names, true)])];
    return named.some((one) => one === changed || follows(one, changed));
  }

  function follows(line: string, changed: string): boolean {
    if (!IMPORTS.test(line)) return false;
    const [was, is] = [line.split(WORDS), changed.split(WORDS)];
    return was.length === is.length && was.every((word, index) => word === is[index] || isMove(word, is[index]!));
  }

  function isMove(word: string, changed: string): boolean {
    if (!/[A-Za-z]/.test(word)) return false;
    const folder = posix.dirname(path);
    const places = namedBy(changed, folder);
    return [...renames].some(([from, to]) =>
      namedBy(word, folder).some((place) => {
        const rest = restBelow(place, from);
        return rest !== undefined && places.some((now) => restBelow(now, to) === rest);
      }),
    );
  }
}

const NAMES = /([A-Za-z_$][\w$]*)/;
/** Names of tests, which contain the names of what they test: `TestFormat`, `test_format`. */
const OF_TEST = /^(?:[Tt]est|Example|Benchmark)|(?:Tests?|Spec)$/;

/** A line with new names, also as parts of names of tests. */
function renamed(line: string, names: Names, isInTests = false): string {
  const words = line.split(NAMES).map((word) => {
    const name = names.get(word);
    if (name !== undefined || !isInTests || !OF_TEST.test(word)) return name ?? word;
    let whole = word;
    for (const [old, now] of names) whole = whole.replace(old, () => now).replace(capital(old), () => capital(now));
    return whole;
  });
  return words.join("");
}

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** The words of a test that others took the place of, line by line. */
export function replacedWords({ before, after }: TestTexts): [string, string][] {
  const now = after.split("\n").map((line) => line.split(NAMES));
  const pairs = before.split("\n").flatMap((line, index) => {
    const [was, is = []] = [line.split(NAMES), now[index]];
    return was.length === is.length ? was.map((word, at): [string, string] => [word, is[at]!]) : [];
  });
  return pairs.filter(([was, is]) => was !== is);
}

/** A line that names other files: JavaScript, Python, Go, Rust, C, PHP, Ruby, and the shell. */
const IMPORTS = /\b(?:import|from|require\w*|include\w*|use|source|mod)\b|^\s*\.\s|\b(?:sh|bash|node|python3?)\s/;

/** Paths and dotted names, and what is between them. */
const WORDS = /([\w./@~-]+)/;

/** The paths that a word may mean: from the test's folder, from the top, or as a dotted name. */
function namedBy(word: string, folder: string): string[] {
  const isDotted = /^\w+(?:\.\w+)*$/.test(word);
  return [posix.join(folder, word), posix.normalize(word), ...(isDotted ? [word.replaceAll(".", "/")] : [])];
}

/** The end of the path below a place; for the file itself, with or without its ending, that is the empty text. */
function restBelow(place: string, path: string): string | undefined {
  if (path === place || withoutEnding(path) === place) return "";
  return path.startsWith(`${place}/`) ? path.slice(place.length) : undefined;
}

const withoutEnding = (path: string): string => path.replace(/\.\w+$/, "");

/** Whether a test that moved is found as before: in the same folder, by the same parts of its name. */
export const isFoundAlike = (from: string, to: string): boolean => placeOf(from) === placeOf(to);

/** The folder of a test and the parts of its name by which runners find it. */
export const placeOf = (path: string): string => `${posix.dirname(path)}/${markOf(path)}`;

/** Go compiles `a_windows_test.go` only there. */
const GO_TEST =
  /(?:_(?:aix|android|darwin|dragonfly|freebsd|illumos|ios|js|linux|netbsd|openbsd|plan9|solaris|wasip1|windows|386|amd64|arm|arm64|loong64|mips\w*|ppc64\w*|riscv64|s390x|wasm))*_test\.go$/;

/** What makes a file a test by its name: `test_`, `.test.js`, `_spec.rb`. */
function markOf(path: string): string {
  const name = posix.basename(path);
  const [before = ""] = /^tests?_/.exec(name) ?? [];
  const [after = ""] = GO_TEST.exec(name) ?? /(?:[._-]?(?:tests?|specs?|Tests?))?(?:\.\w+)$/.exec(name) ?? [];
  return `${before}*${after}`;
}
