/** A place in a text, counted from 1, in characters. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Linear: for one error, not for every entry. */
export function positionAt(text: string, offset: number): Position {
  let line = 1;
  let start = 0;
  for (let next = text.indexOf("\n"); next !== -1 && next < offset; next = text.indexOf("\n", next + 1)) {
    line += 1;
    start = next + 1;
  }
  return { line, column: offset - start + 1 };
}
