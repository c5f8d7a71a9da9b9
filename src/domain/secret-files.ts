import { PASSWORD } from "./secret-forms.ts";
import { settingLines } from "./secret-values.ts";

/** `name: value`, wherever it stands: in JSON on one line, in a list of YAML, behind `export`, or behind a registry in `.npmrc`. */
const PAIR =
  /(?<![\w.-])([\w.-]{1,100})["']?[ \t]*[:=][ \t]*(?:"((?:[^"\\]|\\[^]){1,8000})"|'([^']{1,8000})'|([^\s"',;{}[\]]{1,4000}))/g;
const ELEMENT = /<([\w.-]{1,100})>([^<>\n]{1,4000})<\//g;
/** `.netrc`, and shells that set a variable without a sign. */
const WORDS = /(?<![\w.-])(?:(password)|set[ \t]+-\w+[ \t]+(\w{1,100}))[ \t]+(\S{1,4000})/g;
/** `|` in YAML: lines that stand further in. */
const BLOCK = /^([ \t]*)(?:- )?([\w.-]{1,100}):[ \t]*[|>][+-]?[ \t]*\n((?:\1[ \t]+.*(?:\n|$))+)/gm;
/** `.pgpass` */
const PASSWORD_LINE = /^[^\s:#]+:(?:\d+|\*):[^\s:]+:[^\s:]+:(.+)$/gm;

/** Names and values in a file with secrets, in whichever format. A name can have several values. */
export function settingsInFile(text: string): [name: string, value: string][] {
  const found: [string, string | undefined][] = [...settingLines(text)];
  for (const [, name = "", double, single, bare] of text.matchAll(PAIR)) found.push([name, double ?? single ?? bare]);
  for (const [, name = "", value] of text.matchAll(ELEMENT)) found.push([name, value]);
  for (const [, word, name = word, value] of text.matchAll(WORDS)) found.push([name ?? "", value]);
  for (const [, , name = "", value] of text.matchAll(BLOCK)) found.push([name, value]);
  for (const [, password] of text.matchAll(PASSWORD_LINE)) found.push(["password", password]);
  for (const [, , password] of text.matchAll(PASSWORD)) found.push(["password", password]);
  return found.flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]));
}
