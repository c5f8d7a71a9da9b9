/** Stands as the program of a command that reads a file as its list: `< files.txt`. */
export const LIST = "<";

const RUNS_INPUT = /^(?:(?:ba|da|z|k|a)?sh|node|python[\d.]*|ruby|perl|php)$/;
const FILTERS = /^(?:cat|grep|egrep|sed|sort|uniq|head|tail|tr|cut|awk)$/;
const READS_FILE = /^\s*(?:cat\s+|<\s*)["']?([^\s"'$|;&]+)["']?\s*$/;

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
  if (name === "find") return args.some((word) => RUNS_INPUT.test(word)) ? foundFiles(command) : [];
  if (name === "for") return quoted.map((file) => [LIST, file]);
  if (name !== "xargs" && name !== "parallel" && name !== "read" && name !== "done") return [];
  const isRun = name === "read" || args.some((word) => RUNS_INPUT.test(word));
  if (source[0] === "find") return isRun ? foundFiles(source) : [];
  const filtered = FILTERS.test(source[0] ?? "") ? source.slice(1).filter(isPlain) : [];
  return [...files, ...filtered].map((file) => [LIST, file]);
}

const isPlain = (word: string): boolean => !word.startsWith("-");

/** `find a -name "*.sh"` as a loop over the files. */
function foundFiles([, ...args]: readonly string[]): (readonly string[])[] {
  const flag = args.findIndex((word) => /^[-(!]/.test(word));
  const folders = args.slice(0, flag < 0 ? undefined : flag);
  const pattern = args[args.indexOf("-name") + 1];
  if (!args.includes("-name") || pattern === undefined) return [];
  return [["for", "f", "in", ...(folders.length > 0 ? folders : ["."]).map((folder) => `${folder}/**/${pattern}`)]];
}
