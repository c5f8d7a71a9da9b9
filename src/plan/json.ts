import { positionAt } from "../domain/position.ts";
import { PlanError } from "./entry.ts";

/** A JSON value with its place in the text. Objects keep every member, in order, the repeated ones too. */
export type JsonNode = { readonly start: number; end: number } & (
  | { readonly kind: "object"; readonly members: JsonMember[] }
  | { readonly kind: "array"; readonly items: JsonNode[] }
  | { readonly kind: "value"; readonly value: string | number | boolean | null }
);

export interface JsonMember {
  readonly name: string;
  readonly nameAt: number;
  readonly value: JsonNode;
}

type Container = Extract<JsonNode, { kind: "object" | "array" }>;

interface Open {
  readonly node: Container;
  /** The name that waits for its value. */
  name?: { readonly text: string; readonly at: number } | undefined;
}

const BLANK = /[ \t\r\n]*/y;
const TOKEN = /[[\]{},:]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

interface Reader {
  readonly text: string;
  at: number;
  tokens: number;
}

// B-04: beyond these, no signal is heard for too long. A story of ten members has about fifty tokens.
const MAX_TOKENS = 250_000;
const MAX_DEPTH = 100;

/**
 * JSON with offsets, which `JSON.parse` does not give: neither for an error on every Node nor for a token to replace.
 * Throws `PlanError` with line and column.
 */
export function parseJson(text: string): JsonNode {
  const reader: Reader = { text, at: text.startsWith("\uFEFF") ? 1 : 0, tokens: 0 };
  const open: Open[] = [];
  for (;;) {
    let finished = readValue(reader, open);
    if (open.length > MAX_DEPTH) throw tooMuch(reader, "The values are nested too deeply", "Check the brackets here");
    while (finished) {
      const top = open.at(-1);
      if (!top) return endOf(reader, finished);
      if (top.node.kind === "array") top.node.items.push(finished);
      else top.node.members.push({ name: top.name!.text, nameAt: top.name!.at, value: finished });
      finished = goOn(reader, open);
    }
  }
}

/** Reads a value; undefined when it is a container that goes on. */
function readValue(reader: Reader, open: Open[]): JsonNode | undefined {
  const token = take(reader, "a value");
  const { start } = token;
  if (token.text === "[") {
    open.push({ node: { kind: "array", items: [], start, end: start } });
    return undefined;
  }
  if (token.text === "{") {
    open.push({ node: { kind: "object", members: [], start, end: start } });
    return readName(reader, open);
  }
  const top = open.at(-1);
  if (token.text === "]" && top?.node.kind === "array" && top.node.items.length === 0) return close(reader, open);
  if ("]},:".includes(token.text)) throw failure(reader, start, "a value");
  const value = token.text.startsWith('"')
    ? decode(reader, token)
    : (JSON.parse(token.text) as number | boolean | null);
  return { kind: "value", value, start, end: reader.at };
}

/** Reads a name and its colon; the object, when it ends instead without having had a member. */
function readName(reader: Reader, open: Open[]): JsonNode | undefined {
  const top = open.at(-1)!;
  const token = take(reader, 'a name in `"`');
  const isEmpty = top.node.kind === "object" && top.node.members.length === 0;
  if (token.text === "}" && isEmpty) return close(reader, open);
  if (!token.text.startsWith('"')) throw failure(reader, token.start, 'a name in `"`');
  top.name = { text: decode(reader, token), at: token.start };
  const colon = take(reader, "`:`");
  if (colon.text !== ":") throw failure(reader, colon.start, "`:`");
  return undefined;
}

/** Goes on behind a member or item: the container when it ends here, undefined when a value must follow. */
function goOn(reader: Reader, open: Open[]): JsonNode | undefined {
  const { kind } = open.at(-1)!.node;
  const closing = kind === "array" ? "]" : "}";
  const token = take(reader, `\`,\` or \`${closing}\``);
  if (token.text === closing) return close(reader, open);
  if (token.text !== ",") throw failure(reader, token.start, `\`,\` or \`${closing}\``);
  return kind === "object" ? readName(reader, open) : undefined;
}

function close(reader: Reader, open: Open[]): JsonNode {
  const { node } = open.pop()!;
  node.end = reader.at;
  return node;
}

interface Token {
  readonly text: string;
  readonly start: number;
}

function take(reader: Reader, expected: string): Token {
  const start = skipBlank(reader);
  reader.tokens += 1;
  if (reader.tokens > MAX_TOKENS) throw tooMuch(reader, "The file has too many values", "Split it into several files");
  if (reader.text[start] === '"') {
    reader.at = stringEnd(reader, start);
    return { text: reader.text.slice(start, reader.at), start };
  }
  TOKEN.lastIndex = start;
  const match = TOKEN.exec(reader.text);
  if (!match) throw failure(reader, start, expected);
  reader.at = TOKEN.lastIndex;
  return { text: match[0], start };
}

function skipBlank({ text, at }: Reader): number {
  BLANK.lastIndex = at;
  BLANK.exec(text);
  return BLANK.lastIndex;
}

/** By hand: an alternative repeated over a long string overflows the stack of the regular expression engine. */
function stringEnd(reader: Reader, start: number): number {
  const { text } = reader;
  let end = start + 1;
  while (end < text.length && text[end] !== '"' && text.charCodeAt(end) >= 0x20) end += text[end] === "\\" ? 2 : 1;
  if (text[end] !== '"') throw failure(reader, Math.min(end, text.length), "the end of a string");
  return end + 1;
}

function decode(reader: Reader, { text, start }: Token): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    throw failure(reader, start, "a string with valid escapes");
  }
}

function endOf(reader: Reader, node: JsonNode): JsonNode {
  const rest = skipBlank(reader);
  if (rest < reader.text.length) throw failure(reader, rest, "the end of the file");
  return node;
}

function failure({ text }: Reader, offset: number, expected: string): PlanError {
  const word = text.slice(offset, offset + 12).split(/\s/)[0]!;
  const found = offset >= text.length ? "the end of the file" : word === "" ? "the end of the line" : `\`${word}\``;
  return new PlanError(positionAt(text, offset), `Expected ${expected}, found ${found}`, "Repair the JSON by hand");
}

const tooMuch = ({ text, at }: Reader, problem: string, hint: string): PlanError =>
  new PlanError(positionAt(text, at), problem, hint);

/** A member's value; the last one counts, as in `JSON.parse`. */
export function memberOf(node: JsonNode, name: string): JsonNode | undefined {
  return node.kind === "object" ? node.members.findLast((member) => member.name === name)?.value : undefined;
}
