import { append } from "../../domain/append.ts";
import { commandsOfInput, searchesIn, sourceAfter } from "./shell-input.ts";
import { assignmentIn, loopsIn, UNKNOWN } from "./shell-loops.ts";
import { closing, withInputsFirst } from "./shell-inputs-first.ts";

export { UNKNOWN } from "./shell-loops.ts";

/** Stands at the beginning of a path that begins at the top of the repository. */
export const TOP = "\u0001";

/** One command of a shell text. */
export interface ReadCommand {
  readonly words: readonly string[];
  /** Where it runs, as `cd` says; undefined if only the shell knows. */
  readonly folder: string | undefined;
  /** The shell reads its output; its exit code does not decide alone. */
  readonly isRead: boolean;
}

type Token =
  | { readonly kind: "word"; readonly text: string; readonly inner: readonly string[]; readonly isQuoted: boolean }
  | { readonly kind: "sign"; readonly text: string };

const KEYWORDS = new Set(["if", "then", "elif", "else", "while", "until", "do", "!", "{", "time", "exec", "builtin"]);
const ENDS = new Set(["fi", "done", "esac", "}"]);
/** Commands inside of commands that are still read. */
const DEEPEST = 8;
/** Programs that pass their input on as it is. */
const PASSES_ON = new Set(["tee", "cat", "ts"]);

/**
 * The commands of a shell text, in order, with those inside `$(…)`. A reader for what people write in scripts, not a
 * shell: it takes every branch, and does not know functions, here documents and computed words.
 */
export function readShell(text: string, start: string | undefined, depth = 0): ReadCommand[] {
  const found: ReadCommand[] = [];
  const variables = new Map<string, string>();
  const loops = loopsIn(variables);
  const folders: (string | undefined)[] = [];
  let folder = start;
  let [words, inner]: [string[], string[]] = [[], []];
  /** Files into which output goes, with the command; whether a later command reads them, the end tells. */
  const kept = new Map<string, number>();
  let files: string[] = [];
  /** Commands of a pipe whose reader is not known yet. */
  let piped: number[] = [];
  let [inputs, source, skip]: [string[], readonly string[], Skip] = [[], [], "none"];
  const add = (commands: readonly (readonly string[])[]): void =>
    commands.forEach((one) => found.push({ words: one, folder, isRead: depth > 0 }));
  const end = (sign: string): void => {
    const asked = depth < DEEPEST ? inner.flatMap((part) => readShell(part, folder, depth + 1)) : [];
    append(found, asked);
    const command = withoutPrefix(words, variables);
    const [name] = command;
    const listing = name === "read" && source.length > 0 ? [source] : asked.map((one) => one.words);
    loops.note(name === undefined ? assignmentIn(words) : command, listing);
    add(searchesIn(words));
    const first = found.length;
    const read = commandsOfInput(words[0] === "done" ? ["done"] : command, { files: inputs, source, inner });
    add(read);
    loops.use([words.slice(0, words.length - command.length), command, ...read], { inner, files });
    add(inputs.map((file) => ["cat", file]));
    source = sign === "|" ? sourceAfter(source, command) : [];
    if (name !== undefined) {
      if (!PASSES_ON.has(name)) {
        for (const index of piped) found[index] = { ...found[index]!, isRead: true };
        piped = [];
      }
      if (name === "cd") folder = changed(folder, command[1]);
      else add(loops.each(command));
      piped = sign === "|" ? [...piped, ...found.slice(first).map((_, at) => first + at)] : [];
    }
    for (const word of command) {
      const index = kept.get(word);
      if (index !== undefined) found[index] = { ...found[index]!, isRead: true };
    }
    if (name !== undefined) for (const file of files) kept.set(file, found.length - 1);
    [words, inner, files, inputs] = [[], [], [], []];
  };
  for (const token of tokensOf(withInputsFirst(text), variables)) {
    if (token.kind === "word") {
      ({ none: words, output: files, input: inputs, file: [] as string[] })[skip].push(token.text);
      append(inner, token.inner);
      skip = "none";
    } else if (/[<>]/.test(token.text)) {
      skip = afterSign(token.text);
    } else {
      end(token.text);
      if (token.text === "(") folders.push(folder);
      if (token.text === ")" && folders.length > 0) folder = folders.pop();
    }
  }
  end(";");
  return found.filter(({ words: command }) => !loops.isReading(command));
}

type Skip = "none" | "file" | "input" | "output";

/** The meaning of the word behind a sign; `2>&1` names no file. */
function afterSign(sign: string): Skip {
  if (/&\d$/.test(sign)) return "none";
  if (/^0?<$/.test(sign)) return "input";
  return /^1?>/.test(sign) ? "output" : "file";
}

function changed(folder: string | undefined, to: string | undefined): string | undefined {
  if (folder === undefined || to === undefined || to.includes(UNKNOWN) || to === "-") return undefined;
  return to.startsWith(TOP) ? to : `${folder === "" ? "." : folder}/${to}`;
}

/** The words without keywords and assignments. Assignments that stand alone are remembered. */
function withoutPrefix(words: readonly string[], variables: Map<string, string>): readonly string[] {
  let at = 0;
  const assigned: [string, string][] = [];
  for (;;) {
    const first = words[at] ?? "";
    const assignment = /^([A-Za-z_]\w*)\+?=(.*)$/s.exec(first);
    if (assignment !== null) assigned.push([assignment[1]!, assignment[2]!]);
    else if (first === "for") return words.slice(at);
    else if (first === "case" || first === "function" || ENDS.has(first)) return [];
    else if (words[at - 1] === "time" && first.startsWith("-")) {
      // A flag of `time` itself.
    } else if (!KEYWORDS.has(first) && !/^(?:export|local|readonly|declare)$/.test(first)) break;
    at += 1;
  }
  const rest = words.slice(at);
  if (rest.length === 0) for (const [name, value] of assigned) variables.set(name, value);
  return rest;
}

/** Nothing but words: a workspace may have hundreds of scripts like `vitest run`. */
const PLAIN = /^[\w@%+,./:-]+(?: [\w@%+,./:-]+)*$/;

function* tokensOf(text: string, variables: ReadonlyMap<string, string>): Generator<Token> {
  if (PLAIN.test(text)) {
    for (const word of text.split(" ")) yield { kind: "word", text: word, inner: [], isQuoted: false };
    return;
  }
  let at = 0;
  while (at < text.length) {
    const blank = /^(?:[ \t\r]|\\\r?\n)+|^#[^\n]*/.exec(text.slice(at, at + 2000));
    if (blank !== null) {
      at += blank[0].length;
      continue;
    }
    const here = HERE.exec(text.slice(at, at + 200));
    if (here !== null) {
      const close = new RegExp(`^[ \\t]*${here[1]!.replaceAll(/\W/g, "")}[ \\t\\r]*$`, "m").exec(
        text.slice(at + here[0].length),
      );
      const line = text.indexOf("\n", at);
      // The rest of its first line still belongs to the command.
      if (line > 0 && close !== null) yield* tokensOf(text.slice(at + here[0].length, line), variables);
      yield { kind: "sign", text: ";" };
      at = close === null ? text.length : at + here[0].length + close.index + close[0].length;
      continue;
    }
    const sign = SIGN.exec(text.slice(at, at + 10));
    if (sign !== null) {
      yield { kind: "sign", text: sign[0] === "\n" ? ";" : sign[0] };
      at += sign[0].length;
      continue;
    }
    const word = readWord(text, at, variables);
    yield word.token;
    at = word.end;
  }
}

const HERE = /^\d?<<-?\s*["']?([A-Za-z_]\w*)["']?/;
const SIGN = /^(?:\d?>>?&?\d?(?!\()|&>>?|\d?<<<|\d?<&?(?!\()|\|\||\|&?|&&|;;&?|[&;()\n])/;
const WORD_END = /[\s|&;()<>]/;

interface ReadWord {
  readonly token: Token;
  readonly end: number;
}

function readWord(text: string, start: number, variables: ReadonlyMap<string, string>): ReadWord {
  let at = start;
  let word = "";
  let isQuoted = false;
  let quote = "";
  const inner: string[] = [];
  while (at < text.length) {
    const sign = text[at]!;
    if (quote === "'") {
      if (sign === "'") quote = "";
      else word += sign;
      at += 1;
    } else if (sign === '"' || (sign === "'" && quote === "")) {
      quote = quote === sign ? "" : sign;
      isQuoted = true;
      at += 1;
    } else if (sign === "\\") {
      if (text[at + 1] !== "\n") word += text[at + 1] ?? "";
      at += 2;
    } else if (sign === "$" || sign === "`" || (quote === "" && /^[<>]\(/.test(text.slice(at, at + 2)))) {
      const part = readExpansion(text, at, variables);
      word += part.value;
      if (part.inner !== undefined) inner.push(part.inner);
      at = part.end;
    } else if (quote === "" && WORD_END.test(sign)) break;
    else {
      word += sign;
      at += 1;
    }
  }
  // A sign that no rule takes must not stop the reader.
  const end = Math.max(at, start + 1);
  return { token: { kind: "word", text: word, inner, isQuoted }, end };
}

interface Expansion {
  readonly value: string;
  readonly inner?: string;
  readonly end: number;
}

function readExpansion(text: string, at: number, variables: ReadonlyMap<string, string>): Expansion {
  if (text[at] === "`") {
    const end = text.indexOf("`", at + 1);
    return {
      value: UNKNOWN,
      inner: text.slice(at + 1, end < 0 ? undefined : end),
      end: end < 0 ? text.length : end + 1,
    };
  }
  if (text[at + 1] === "(") {
    const end = closing(text, at + 1);
    const inner = text.slice(at + 2, end - 1);
    if (/^\s*(?:pwd|git rev-parse --show-toplevel)\s*$/.test(inner)) {
      return { value: inner.includes("git") ? TOP : ".", end };
    }
    return inner.startsWith("(") ? { value: UNKNOWN, end } : { value: UNKNOWN, inner, end };
  }
  const named = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?:\[[@*]\]|:?-([^{}]*))?\})/.exec(text.slice(at, at + 300));
  if (named !== null) {
    const name = named[1] ?? named[2]!;
    const value = variables.get(name) ?? (name === "PWD" ? "." : (named[3] ?? UNKNOWN));
    return { value: /[$`]/.test(value) ? UNKNOWN : value, end: at + named[0].length };
  }
  const other = /^\$(?:\{[^}]*\}|[\w@*#?!$-]|)/.exec(text.slice(at, at + 300))!;
  return { value: other[0] === "$" ? "$" : UNKNOWN, end: at + Math.max(other[0].length, 1) };
}
