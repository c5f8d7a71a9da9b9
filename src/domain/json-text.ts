import { type Mapping, parseMapping } from "./mapping.ts";

/** JSON, also with comments and with commas before closing brackets. */
export function parseJson(text: string): Mapping | undefined {
  const plain = parseMapping(text);
  if (plain !== undefined) return plain;
  return parseMapping(withoutCommas(withoutComments(text)));
}

/** A string, or the beginning of one that does not end on its line. */
const STRING = String.raw`"(?:\\.|[^"\\\n])*"?`;
const COMMENT = new RegExp(String.raw`${STRING}|\/\/[^\n]*|\/\*`, "g");
const COMMA = new RegExp(String.raw`${STRING}|,\s*(?=[\]}])`, "g");

function withoutComments(text: string): string {
  let [result, at] = ["", 0];
  for (const { 0: found, index } of text.matchAll(COMMENT)) {
    if (index < at || found.startsWith('"')) continue;
    const end = found === "/*" ? text.indexOf("*/", index + 2) : index + found.length;
    if (end < 0) break;
    result += text.slice(at, index);
    at = found === "/*" ? end + 2 : end;
  }
  return result + text.slice(at);
}

const withoutCommas = (text: string): string =>
  text.replaceAll(COMMA, (found: string) => (found.startsWith(",") ? "" : found));
