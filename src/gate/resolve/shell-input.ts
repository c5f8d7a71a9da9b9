/** Stands as the program of a command that reads a file as its list: `< files.txt`. */
export const LIST = "<";

/** Stands as the program of a command that puts folders on its PATH. */
export const SEARCH = "PATH=";

/** The folders that `PATH=$PWD/bin:$PATH` names, also as a word of `env`. */
export const searchesIn = (words: readonly string[]): (readonly string[])[] =>
  words.flatMap((word) => {
    const value = /^PATH\+?=(.*)$/s.exec(word)?.[1];
    return value === undefined ? [] : [[SEARCH, ...value.split(":")]];
  });

const RUNS_INPUT = /^(?:(?:ba|da|z|k|a)?sh|node|python[\d.]*|ruby|perl|php)$/;
const FILTERS = /^(?:cat|grep|egrep|sed|sort|uniq|head|tail|tr|cut|awk)$/;
const READS_FILE = /^\s*(?:cat\s+|<\s*)["']?([^\s"'$|;&]+)["']?\s*$/;

/** The command whose output a pipe carries behind a command: filters pass on what they get. */
export const sourceAfter = (source: readonly string[], command: readonly string[]): readonly string[] =>
  source.length > 0 && FILTERS.test(command[0] ?? "") ? source : command;

interface Input {
  /** Behind `<`. */
  readonly files: readonly string[];
  /** The command before the pipe. */
  readonly source: readonly string[];
  /** Texts of `$(…)` in its words. */
  readonly inner: readonly string[];
}

/**
 * The commands that a command's input adds: `cat p.sh | sh` and `eval "$(cat p.sh)"` run p.sh, `xargs sh < list` reads
 * a list, and `find checks -name "*.sh" | xargs sh` runs each file.
 */
export function commandsOfInput(command: readonly string[], { files, source, inner }: Input): (readonly string[])[] {
  const [name = "", ...args] = command;
  const quoted = inner.flatMap((text) => READS_FILE.exec(text)?.[1] ?? []);
  const sent = source[0] === "cat" ? source.slice(1).filter(isPlain) : [];
  if (name === "eval" || name === "." || name === "source") return quoted.map((file) => ["sh", file]);
  if (RUNS_INPUT.test(name)) {
    const code = name.endsWith("sh") ? /^-\w*c$/ : /^-(?:\w*[ce]|m|-eval)$/;
    const isOpen = args.includes("-s") || !args.some((word) => isPlain(word) || code.test(word));
    const runs = [...(isOpen ? [...files, ...sent] : []), ...quoted];
    return runs.map((file) => [args.includes("-c") ? "sh" : name, file]);
  }
  if (name === "find") return isRunOf(command, command.indexOf("{}")) ? asLoop(listedFiles(command, true)) : [];
  if (/^(?:for|env|export)$/.test(name)) return quoted.map((file) => [LIST, file]);
  if (name !== "xargs" && name !== "parallel" && name !== "read" && name !== "done") return [];
  const isRun = name === "read" || isRunOf([...command, "{}"], command.length);
  const listed = listedFiles(source);
  if (listed.length > 0) return isRun ? asLoop(listed, name === "read" ? args.at(-1) : undefined) : [];
  const filtered = FILTERS.test(source[0] ?? "") ? source.slice(1).filter(isPlain) : [];
  return [...files, ...filtered].map((file) => [LIST, file]);
}

const isPlain = (word: string): boolean => !word.startsWith("-");

/** Programs that only read the files that they are given. */
const READERS =
  /^(?:<|\[\[?|test|[ef]?grep|rg|sed|[gmn]?awk|cat|head|tail|wc|cut|sort|diff|cmp|echo|printf|basename|dirname|jq|yq|xmllint|tidy|shellcheck|markdownlint)$/;

/** Whether a command only reads its files. `awk -f x` runs one, `sh -n x` does not. */
export const isReader = ([name = "", ...args]: readonly string[]): boolean =>
  READERS.test(name)
    ? !/awk$|^sed$|grep$/.test(name) || !args.some((word) => /^(?:-[a-zA-Z]*f|--file)/.test(word))
    : /^(?:(?:ba|da|z|k)?sh -n|node --check|python3? -m (?:py_compile|json\.tool))(?: |$)/.test(
        [name, ...args].join(" "),
      );

/** Whether the word at a place is the file that a command runs: `. x`, `timeout 9 sh -e x`, or `x` itself. */
export function isRunOf(command: readonly string[], at: number): boolean {
  const before = command.slice(0, Math.max(at, 0));
  const runner = before.findLastIndex(
    (word, index) => RUNS_INPUT.test(word) || (index === 0 && /^(?:\.|source)$/.test(word)),
  );
  // `xargs grep node` looks for a word.
  if (before.slice(0, Math.max(runner, 0)).some((word) => READERS.test(word))) return false;
  const isFlag = (word: string, index: number): boolean =>
    !isPlain(word) || word === "{}" || /^-\w*o$/.test(before[runner + index] ?? "");
  return at === 0 || before.at(-1) === "-exec" || (runner >= 0 && before.slice(runner + 1).every(isFlag));
}

/** The files that each command of a loop may run; a loop that only reads a list runs them in a way that is not known. */
const asLoop = (files: readonly string[], variable?: string): (readonly string[])[] => [
  ["for", variable ?? "f", "in", ...files],
  ...(variable === undefined ? files.map((file) => [file]) : []),
];

/** The files that `find a -name "*.sh"`, `git ls-files a` and `ls a` list, as patterns. `all`: also those of `find a`. */
export function listedFiles([name, ...args]: readonly string[], all = false): string[] {
  if (name === "git" && args[0] === "ls-files")
    return args
      .slice(1)
      .filter((word) => isPlain(word))
      .map((word) => (/^[^/]*\*[^/]*$/.test(word) ? `**/${word}` : /[*?[.]/.test(word) ? word : `${word}/**`));
  const flag = name === "find" ? args.findIndex((word) => /^[-(!]/.test(word)) : -1;
  const named = (flag < 0 ? args : args.slice(0, flag)).filter(isPlain);
  if (name === "ls") return named.map((word) => (/[*?[]/.test(word) ? word : "*"));
  const flagged = args.findIndex((word) => /^-i?name$/.test(word));
  if (name !== "find" || (flagged < 0 && (!all || named.length === 0 || named.includes(".")))) return [];
  const pattern = flagged < 0 ? "*" : (args[flagged + 1] ?? "*");
  return (named.length > 0 ? named : ["."]).map((folder) => `${folder}/**/${pattern}`);
}
