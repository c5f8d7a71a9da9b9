import { isMap, isNode, isScalar, parseDocument } from "yaml";

/** Where a value is in a text, as far as it is there. */
export interface YamlPlace {
  readonly value: { readonly start: number; readonly end: number } | undefined;
  /** The value is a scalar or a list on one line. */
  readonly isLine: boolean;
  /** The whole lines of the key and its value; undefined if other things share them. */
  readonly lines: { readonly start: number; readonly end: number } | undefined;
  /** The keys on the way that are there, in block style: where the line of each ends, and the indentation below it. */
  readonly parents: readonly { readonly lineEnd: number; readonly indent: string }[];
}

/** Finds a key in a text that has been read. */
export function yamlPlaces(text: string, path: readonly string[]): YamlPlace {
  const parents: { lineEnd: number; indent: string }[] = [];
  let map: unknown = parseDocument(text).contents;
  for (const [depth, name] of path.entries()) {
    const pair = isMap(map) ? map.items.find(({ key }) => isScalar(key) && String(key.value) === name) : undefined;
    const key = isScalar(pair?.key) ? pair.key.range : undefined;
    if (pair === undefined || !key) break;
    const lineStart = text.lastIndexOf("\n", key[0] - 1) + 1;
    const own = text.slice(lineStart, key[0]);
    const range = isNode(pair.value) ? pair.value.range : undefined;
    if (depth === path.length - 1)
      return placeOf(text, { key: key[0], own, lineStart, range: range ?? undefined, parents });
    const first = isMap(pair.value) && !pair.value.flow ? pair.value.items[0]?.key : undefined;
    const column =
      isScalar(first) && first.range
        ? first.range[0] - (text.lastIndexOf("\n", first.range[0] - 1) + 1)
        : own.length + 2;
    parents.push({ lineEnd: lineEndAt(text, key[1]), indent: " ".repeat(column) });
    map = pair.value;
  }
  return { value: undefined, isLine: false, lines: undefined, parents };
}

interface FoundKey extends Pick<YamlPlace, "parents"> {
  readonly key: number;
  /** What stands before the key on its line. */
  readonly own: string;
  readonly lineStart: number;
  readonly range: readonly [number, number, number] | undefined;
}

function placeOf(text: string, { own, lineStart, range, parents, key }: FoundKey): YamlPlace {
  const [start, end] = range ?? [key, key];
  const value = { start, end };
  const isAlone = own.trim() === "";
  return {
    value: range === undefined || start === end ? undefined : value,
    isLine: !text.slice(start, end).trimEnd().includes("\n"),
    lines: isAlone
      ? { start: lineStart, end: lineEndAt(text, Math.max(end - (text[end - 1] === "\n" ? 1 : 0), key)) }
      : undefined,
    parents,
  };
}

/** After the line break. */
function lineEndAt(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}

/** The same by the library, which keeps comments and may change the layout. Undefined if it cannot. */
export function editedYaml(text: string, path: readonly string[], value: unknown): string | undefined {
  const document = parseDocument(text);
  try {
    if (value === undefined) document.deleteIn(path);
    else document.setIn(path, value);
    return document.toString({ lineWidth: 0 });
  } catch {
    return undefined; // a value on the way is no mapping
  }
}
