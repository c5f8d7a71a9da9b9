/** Shorter ones are words, too, and would make much output unreadable. */
export const MIN_SECRET_LENGTH = 8;

/**
 * A secret as programs write it: plain, inside of JSON, of JSON in JSON, of HTML, of an address, of a shell's line, encoded, as
 * `curl -v` shows a password, as `xxd -p` does, and from its end to its beginning.
 */
export function spellings(secret: string): string[] {
  const whole = secret.replaceAll(/\p{Surrogate}/gu, "");
  const bytes = new TextEncoder().encode(whole);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const encodings = [...inBase64(bytes), hex, hex.toUpperCase(), Array.from(whole).toReversed().join("")];
  const all = [secret, ...(PLAIN.test(secret) ? [] : quoted(secret, bytes)), ...encodings];
  return [...new Set(all)].filter(({ length }) => length >= MIN_SECRET_LENGTH);
}

/** Whatever writes it changes nothing. */
const PLAIN = /^[\w.-]*$/;

function quoted(secret: string, bytes: Uint8Array): string[] {
  const encoded = encodeURIComponent(secret.replaceAll(/\p{Surrogate}/gu, ""));
  return [
    ...["NFC", "NFD"].map((form) => secret.normalize(form)),
    inJson(secret),
    inJson(inJson(secret)),
    inJson(secret).replaceAll("/", String.raw`\/`),
    ...[inJson(secret), secret].map(withEscapes),
    pythonBytes(bytes),
    ...HTMLS.map((signs) => secret.replaceAll(/[&<>"']/g, (sign) => signs[sign]!)),
    ...QUOTES.map(([sign, written]) => secret.replaceAll(sign, written)),
    ...[encoded, encoded.replaceAll("%2F", "/"), encoded.replaceAll("%20", "+")].flatMap(withSmallEscapes),
  ];
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** As programs write JSON that is to be ASCII. */
const withEscapes = (text: string): string =>
  text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

const pythonBytes = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) =>
    byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`,
  ).join("");

/** As a shell shows it, between quotes or with backslashes. */
const QUOTES: readonly (readonly [RegExp, string])[] = [
  [/'/g, String.raw`'\''`],
  [/[^\w@%+=:,./-]/g, String.raw`\$&`],
  [/["$`\\]/g, String.raw`\$&`],
];

const HTML: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const HTMLS = [HTML, { ...HTML, '"': "&#34;" }, { ...HTML, "'": "&apos;" }, { ...HTML, "'": "&#x27;" }];

const withSmallEscapes = (text: string): string[] => [
  text,
  text.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
];

/** Programs break the lines of base64 there. */
const LINE = 76;

/**
 * The characters that depend on these bytes alone, whatever stands before and behind them: a name before a password moves
 * it by none, one or two bytes. In both alphabets, and by lines.
 */
function inBase64(bytes: Uint8Array): string[] {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const texts = [0, 1, 2].map((before) => {
    const text = btoa("\0".repeat(before) + binary);
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  const lines =
    texts[0]!.length > LINE ? (texts[0]!.match(new RegExp(`.{${MIN_SECRET_LENGTH},${LINE}}`, "g")) ?? []) : [];
  return [...texts, ...lines].flatMap((text) => [text, text.replaceAll("+", "-").replaceAll("/", "_")]);
}
