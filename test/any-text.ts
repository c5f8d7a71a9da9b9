import fc from "fast-check";

const SURROGATES = 0xd800;
const AFTER_SURROGATES = 0xe000;
const GAP = AFTER_SURROGATES - SURROGATES;

const CODE_POINT = fc.integer({ min: 0, max: 0x10ffff - GAP }).map(
  (at) => String.fromCodePoint(at < SURROGATES ? at : at + GAP),
  (text) => {
    const [only = "", ...more] = typeof text === "string" ? text : "";
    const code = only.codePointAt(0);
    const isHalf = code !== undefined && code >= SURROGATES && code < AFTER_SURROGATES;
    if (code === undefined || isHalf || more.length > 0) throw new Error("not one code point");
    return code < SURROGATES ? code : code - GAP;
  },
);

/** The same texts as `fc.string({ unit: "binary" })`, which takes a second and keeps 100 MB for a table of all of them. */
export const anyText = (constraints: Omit<fc.StringConstraints, "unit"> = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: CODE_POINT });
