/** Shorter ones are words, too, and would make much output unreadable. */
export const MIN_SECRET_LENGTH = 8;

/**
 * A secret as programs write it: plain, inside of JSON, of JSON in JSON, of HTML, of an address, encoded, as `curl -v` shows
 * a password, as `xxd -p` does, and from its end to its beginning.
 */
export function spellings(secret: string): string[] {
  const whole = secret.replaceAll(/\p{Surrogate}/gu, "");
  const encoded = encodeURIComponent(whole);
  const bytes = new TextEncoder().encode(whole);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const all = [
    secret,
    inJson(secret),
    inJson(inJson(secret)),
    secret.replaceAll(/[&<>"']/g, (sign) => HTML[sign]!),
    ...[encoded, encoded.replaceAll("%2F", "/"), encoded.replaceAll("%20", "+")].flatMap(withSmallEscapes),
    ...inBase64(bytes),
    hex,
    hex.toUpperCase(),
    Array.from(whole).toReversed().join(""),
  ];
  return [...new Set(all)].filter(({ length }) => length >= MIN_SECRET_LENGTH);
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const HTML: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

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
