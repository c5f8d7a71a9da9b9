import { printable } from "../domain/printable.ts";
import type { Io } from "./io.ts";
import type { PageShape } from "./view/page-styles.ts";

/** Prints a page for people: wrapped and styled at a terminal, and as it is everywhere else. */
export const printPage = async (io: Io, text: string): Promise<void> => (await pageWriter(io))(text);

/** The same for messages: errors, hints and warnings. */
export const printMessage = async (io: Io, text: string): Promise<void> => (await pageWriter(io, "message"))(text);

/** Prints what comes bit by bit, in whole lines. */
export async function pageWriter(io: Io, shape: PageShape = "page"): Promise<(text: string) => void> {
  const stream = shape === "message" ? "err" : "out";
  const paper = io.paper?.(stream);
  if (paper === undefined) return io[stream];
  const [{ createPalette, wantsColors }, { styleText }] = await Promise.all([
    import("./view/palette.ts"),
    import("./view/page-styles.ts"),
  ]);
  const palette = createPalette(wantsColors(io.env));
  return (text) => paper.write(styleText(shape, printable(text), { palette, width: paper.columns - 1 }));
}
