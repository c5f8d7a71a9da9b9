import { join } from "node:path";
import { RalphError } from "../domain/error.ts";
import { removeAll, textIn, writeAtomicUnsynced } from "../system/folder.ts";
import { runEditor } from "../system/process/run-editor.ts";
import { newTemporaryFolder } from "../system/temporary-folder.ts";
import type { Surroundings } from "./workspace.ts";

export interface OpenedEditor {
  /** The text before; undefined: there is no file. */
  readonly before: string | undefined;
  /** The file that the editor has open. */
  readonly draft: string;
  /** Opens the editor, and returns the text once it is closed. */
  readonly edit: () => Promise<string>;
  /** Removes the draft. */
  readonly end: (isChanged: boolean) => Promise<boolean>;
}

export interface EditorRequest extends Pick<Surroundings, "env" | "cwd"> {
  readonly file?: string | undefined;
  readonly text?: string | undefined;
  readonly name: string;
}

/** A draft of a text in the person's editor: `$VISUAL`, `$EDITOR`, or vi. */
export async function openEditor({ env, cwd, file, text, name }: EditorRequest): Promise<OpenedEditor> {
  const before = file === undefined ? text : textIn(file);
  const folder = await newTemporaryFolder("edit");
  const draft = join(folder, name);
  writeAtomicUnsynced(draft, before ?? "");
  const command = env["VISUAL"] || env["EDITOR"] || "vi";
  return {
    before,
    draft,
    edit: async () => {
      const code = await runEditor(command, { file: draft, env, cwd });
      if (code === 0) return textIn(draft) ?? "";
      throw new RalphError("unavailable", `The editor ${command} ended with ${code}; your text is ${draft}`, {
        hint: "Set EDITOR to a program that waits until you close the file, such as vim or code --wait",
      });
    },
    end: async (isChanged) => {
      await removeAll(folder);
      return isChanged;
    },
  };
}
