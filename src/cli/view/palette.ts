import colors from "picocolors";

/** Styles a printable text. */
export type Paint = (text: string) => string;

/** All styles of the view, by meaning. No other file knows about colours. */
export interface Palette {
  /** Without colors, marks in the text have to stay. */
  readonly hasColors: boolean;
  readonly plain: Paint;
  readonly strong: Paint;
  readonly faint: Paint;
  readonly heading: Paint;
  readonly code: Paint;
  readonly emphasis: Paint;
  readonly good: Paint;
  readonly bad: Paint;
  readonly attention: Paint;
  readonly cursor: Paint;
}

export function createPalette(hasColors: boolean): Palette {
  const { bold, dim, underline, cyan, italic, green, red, yellow, inverse } = colors.createColors(hasColors);
  return {
    hasColors,
    plain: (text) => text,
    strong: bold,
    faint: dim,
    heading: (text) => bold(underline(text)),
    code: cyan,
    emphasis: italic,
    good: green,
    bad: red,
    attention: yellow,
    cursor: inverse,
  };
}

/** NO_COLOR and FORCE_COLOR, for a terminal: https://no-color.org */
export function wantsColors(env: Readonly<Record<string, string | undefined>>): boolean {
  const forced = env["FORCE_COLOR"];
  if (env["NO_COLOR"]) return false;
  return forced !== "0" && forced !== "false";
}
