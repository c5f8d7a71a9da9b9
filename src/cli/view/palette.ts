import colors from "picocolors";

/** A way to write a text. What is given in must be printable, and comes out the same but for its looks. */
export type Paint = (text: string) => string;

/** All looks that the view has, by what they mean. No other file knows of colours. */
export interface Palette {
  /** Whether looks can be told apart at all; else marks of the text itself have to stay. */
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
  /** Where the next letter will be. */
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
