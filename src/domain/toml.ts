/** A table of TOML, while it is read. */
type Table = Record<string, unknown>;

/**
 * The values of a TOML text; undefined if it does not parse. Numbers, dates and booleans stay as they are written:
 * they are only compared.
 */
export function parseToml(text: string): Table | undefined {
  try {
    return readDocument(text.replaceAll("\r\n", "\n"));
  } catch {
    return undefined; // not TOML: the caller compares the text
  }
}

interface Reader {
  readonly text: string;
  at: number;
}

function readDocument(text: string): Table {
  const reader: Reader = { text, at: 0 };
  const root = table();
  let current = root;
  for (;;) {
    skip(reader, /[\s]+|#[^\n]*/y);
    if (reader.at >= text.length) return root;
    if (text[reader.at] === "[") {
      const isList = text.startsWith("[[", reader.at);
      reader.at += isList ? 2 : 1;
      const path = readPath(reader);
      expect(reader, isList ? "]]" : "]");
      current = isList ? addToList(root, path) : tableAt(root, path);
    } else readPair(reader, current);
  }
}

const table = (): Table => Object.create(null) as Table;

function readPair(reader: Reader, into: Table): void {
  const path = readPath(reader);
  expect(reader, "=");
  const value = readValue(reader);
  tableAt(into, path.slice(0, -1))[path.at(-1)!] = value;
}

function tableAt(root: Table, path: readonly string[]): Table {
  let at = root;
  for (const step of path) {
    const next = (at[step] ??= table());
    const inside: unknown = Array.isArray(next) ? next.at(-1) : next;
    if (typeof inside !== "object" || inside === null) throw new Error("not a table");
    at = inside as Table;
  }
  return at;
}

function addToList(root: Table, path: readonly string[]): Table {
  const around = tableAt(root, path.slice(0, -1));
  const list = (around[path.at(-1)!] ??= []);
  if (!Array.isArray(list)) throw new Error("not a list");
  const added = table();
  list.push(added);
  return added;
}

function readPath(reader: Reader): string[] {
  const path: string[] = [];
  do {
    skip(reader, BLANK);
    path.push(/["']/.test(reader.text[reader.at] ?? "") ? readText(reader) : take(reader, /[\w-]+/y));
    skip(reader, BLANK);
  } while (isNext(reader, "."));
  return path;
}

const BLANK = /[ \t]+/y;
const BETWEEN = /(?:\s+|#[^\n]*)+/y;

function readValue(reader: Reader): unknown {
  skip(reader, BLANK);
  const sign = reader.text[reader.at] ?? "";
  if (sign === '"' || sign === "'") return readText(reader);
  if (sign === "[") return readList(reader);
  if (sign === "{") return readInline(reader);
  return take(reader, /[^\s,#\]}]+(?: \d[\d:.]*)?/y);
}

function readList(reader: Reader): unknown[] {
  const list: unknown[] = [];
  expect(reader, "[");
  for (;;) {
    skip(reader, BETWEEN);
    if (isNext(reader, "]")) return list;
    list.push(readValue(reader));
    skip(reader, BETWEEN);
    if (!isNext(reader, ",")) {
      expect(reader, "]");
      return list;
    }
  }
}

function readInline(reader: Reader): Table {
  const inline = table();
  expect(reader, "{");
  for (;;) {
    skip(reader, BETWEEN);
    if (isNext(reader, "}")) return inline;
    readPair(reader, inline);
    skip(reader, BETWEEN);
    if (!isNext(reader, ",")) {
      expect(reader, "}");
      return inline;
    }
  }
}

function readText(reader: Reader): string {
  const quote = take(reader, /"""|'''|"|'/y);
  const isLiteral = quote.startsWith("'");
  const body =
    quote.length === 3
      ? take(reader, isLiteral ? /\n?[^]*?'''(?!')/y : /\n?(?:\\[^]|[^\\])*?"""(?!")/y)
      : take(reader, isLiteral ? /[^'\n]*'/y : /(?:\\.|[^"\\\n])*"/y);
  const inside = body.slice(0, -quote.length).replace(/^\n/, quote.length === 3 ? "" : "\n");
  return isLiteral ? inside : inside.replaceAll(/\\(?:\s*\n\s*|u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|(.))/g, unescape);
}

const SIGNS: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", e: "\u001b" };

const unescape = (_: string, ...[short, long, sign]: readonly (string | undefined)[]): string => {
  const code = short ?? long;
  if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
  return sign === undefined ? "" : (SIGNS[sign] ?? sign);
};

function skip(reader: Reader, what: RegExp): void {
  what.lastIndex = reader.at;
  while (what.test(reader.text)) {
    reader.at = what.lastIndex;
  }
}

function take(reader: Reader, what: RegExp): string {
  what.lastIndex = reader.at;
  const found = what.exec(reader.text);
  if (found === null || found[0] === "") throw new Error(`unexpected text at ${reader.at}`);
  reader.at = what.lastIndex;
  return found[0];
}

function isNext(reader: Reader, sign: string): boolean {
  skip(reader, BLANK);
  const isThere = reader.text.startsWith(sign, reader.at);
  if (isThere) reader.at += sign.length;
  return isThere;
}

function expect(reader: Reader, sign: string): void {
  if (!isNext(reader, sign)) throw new Error(`no ${sign} at ${reader.at}`);
}
