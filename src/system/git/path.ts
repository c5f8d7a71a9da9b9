/**
 * A path as git gives it, as text. Names are bytes: those that are not UTF-8 become lone surrogates (U+DC80 to U+DCFF),
 * so that every path has exactly one text and comes back from it unharmed.
 */
export function decodePath(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decodePieces(bytes); // not UTF-8: that is what the pieces are for
  }
}

/** The bytes of a path. */
export function encodePath(path: string): Buffer {
  if (!ESCAPED.test(path)) return Buffer.from(path);
  const pieces = Array.from(path, (character) => {
    const code = character.codePointAt(0)!;
    return isEscape(code) ? Buffer.from([code - 0xdc00]) : Buffer.from(character);
  });
  return Buffer.concat(pieces);
}

/** Many paths, each followed by NUL: what git's `-z` reads. */
export const encodePaths = (paths: readonly string[]): Buffer =>
  Buffer.concat(paths.flatMap((path) => [encodePath(path), NUL]));

/** The fields of an answer in which each ends in NUL. */
export function splitNul(bytes: Buffer): Buffer[] {
  const fields: Buffer[] = [];
  for (let start = 0, end = bytes.indexOf(0); end >= 0; start = end + 1, end = bytes.indexOf(0, start)) {
    fields.push(bytes.subarray(start, end));
  }
  return fields;
}

/** A path in git's own quotes, for commands that read lines. */
export const quotePath = (path: string): string => `"${Array.from(encodePath(path), quoteByte).join("")}"`;

const quoteByte = (byte: number): string => {
  const plain = byte > 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
  return plain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`;
};

const NUL = Buffer.from([0]);
const ESCAPED = /[\udc80-\udcff]/;
const isEscape = (code: number): boolean => code >= 0xdc80 && code <= 0xdcff;

// The mark at the beginning of a name belongs to the name.
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Byte by byte: the longest valid character at each place, or one escaped byte. */
function decodePieces(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const length = [1, 2, 3, 4].find((size) => isCharacter(bytes.subarray(at, at + size), size));
    text +=
      length === undefined ? String.fromCharCode(0xdc00 + bytes[at]!) : strict.decode(bytes.subarray(at, at + length));
    at += length ?? 1;
  }
  return text;
}

function isCharacter(bytes: Uint8Array, size: number): boolean {
  if (bytes.length !== size) return false;
  try {
    const text = strict.decode(bytes);
    return Array.from(text).length === 1;
  } catch {
    return false; // not UTF-8: that is the answer
  }
}
