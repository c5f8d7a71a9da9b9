/** A part of a source file that is a test. */
export interface Block {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

interface Examples {
  readonly files: RegExp;
  /** A source without this text has none. */
  readonly mark: string;
  /** One example; what is found first is its name. */
  readonly one: RegExp;
  /** The same example in a place of its own, if its place is gone. */
  readonly alone: (example: string) => string;
}

const indented = (text: string, indent: string): string => {
  const [depth = ""] = /^[ \t]*/.exec(text) ?? [];
  return text
    .split("\n")
    .map((line) => indent + (line.startsWith(depth) ? line.slice(depth.length) : line))
    .join("\n");
};

/** T-11: examples in comments that a test runner plays: doctest of Python and Rust. */
const EXAMPLES: readonly Examples[] = [
  {
    files: /\.py$/,
    mark: ">>> ",
    one: /^[ \t]*>>> ([^#\n]*)[^\n]*(?:\n(?![ \t]*(?:>>>|$|r?"""|'''))(?![^\n]*(?:"""|'''))[^\n]*)*/gm,
    alone: (text) => `\n\n\ndef _examples():\n    r"""\n${indented(text, "    ")}\n    """\n`,
  },
  {
    files: /\.rs$/,
    mark: "```",
    one: /^[ \t]*\/\/[/!] ```(?:rust|should_panic|no_run|ignore|compile_fail|edition\d+|[ ,])*()\n(?:[ \t]*\/\/[/!](?! ```)[^\n]*\n)*[ \t]*\/\/[/!] ```[ \t]*$/gm,
    alone: (text) =>
      `\n\n${indented(text, "").replaceAll(/^[ \t]*\/\/!/gm, "///")}\n#[allow(dead_code)]\npub fn _examples() {}\n`,
  },
];

export const examplesFor = (path: string): Examples | undefined => EXAMPLES.find(({ files }) => files.test(path));

export const examplesIn = ({ one, mark }: Examples, text: string): Block[] =>
  text.includes(mark)
    ? Array.from(text.matchAll(one), ({ 0: all, 1: name = "", index }) => ({
        name: name.trim(),
        start: index,
        end: index + all.length,
      }))
    : [];
