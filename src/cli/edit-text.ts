import { openEditor } from "../app/open-editor.ts";
import { RalphError } from "../domain/error.ts";
import { printable } from "../domain/printable.ts";
import type { Io } from "./io.ts";

export interface EditRequest {
  /** The file that is edited; undefined: `text` is. */
  readonly file?: string;
  readonly text?: string;
  /** What the editor calls it. */
  readonly name: string;
  /** Takes a text that differs, or throws what is wrong with it. Returns whether anything changed. */
  readonly take: (texts: { readonly from: string | undefined; readonly to: string }) => Promise<boolean>;
}

/** Lets the person edit a text, again if there is something wrong with it. Nothing is lost: a text that is not taken stays in a file. */
export async function editText(io: Io, { file, text, name, take }: EditRequest): Promise<boolean> {
  if (!io.hasTerminal) {
    throw new RalphError("usage", "An editor needs a terminal", { hint: "Give the new values as options; see --help" });
  }
  const editor = await openEditor({ env: io.env, cwd: io.cwd, file, text, name });
  for (;;) {
    const to = await editor.edit();
    if (to === (editor.before ?? "")) return await editor.end(false);
    try {
      return await editor.end(await take({ from: editor.before, to }));
    } catch (error) {
      if (!(error instanceof RalphError)) throw error;
      io.err(`error: ${printable(error.message)}\n`);
      if (!(await io.confirm("Edit it again?"))) {
        throw new RalphError("usage", `Nothing was changed; your text is ${editor.draft}`, { hint: error.hint });
      }
    }
  }
}
