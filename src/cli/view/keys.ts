import { printable } from "../../domain/printable.ts";
import type { EditKey } from "./editor.ts";

/** A pressed key. */
export type Key =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "edit"; readonly key: EditKey }
  | { readonly kind: "enter" | "escape" | "interrupt" | "suspend" | "quit" | "redraw" };

const CONTROLS: Readonly<Record<string, Key>> = {
  "\u0001": { kind: "edit", key: "home" },
  "\u0003": { kind: "interrupt" },
  "\u0004": { kind: "edit", key: "delete" },
  "\u0005": { kind: "edit", key: "end" },
  "\b": { kind: "edit", key: "backspace" },
  "\u007f": { kind: "edit", key: "backspace" },
  "\t": { kind: "text", text: " " },
  "\n": { kind: "enter" },
  "\r": { kind: "enter" },
  "\u000c": { kind: "redraw" },
  "\u0015": { kind: "edit", key: "clear" },
  "\u0017": { kind: "edit", key: "word" },
  "\u001a": { kind: "suspend" },
  "\u001b": { kind: "escape" },
  "\u001c": { kind: "quit" },
};

const SEQUENCES: Readonly<Record<string, EditKey>> = {
  D: "left",
  C: "right",
  H: "home",
  F: "end",
  "1~": "home",
  "3~": "delete",
  "4~": "end",
};

// Arrows and the like, then letters with Alt, then one control, then all the text up to the next of these.
// eslint-disable-next-line no-control-regex
const TOKEN = /\u001b(?:\[|O)([0-9;]*)([@-~])|\u001b[ -~]|[\u0000-\u001f\u007f]|[^\u0000-\u001f\u007f]+/g;

/** Parses the input of a terminal; unknown keys are ignored. */
export function readKeys(sent: string): Key[] {
  return Array.from(sent.matchAll(TOKEN)).flatMap(([token, number, final]): Key[] => {
    if (final !== undefined) {
      const key = SEQUENCES[final === "~" ? `${number}~` : final];
      return key === undefined ? [] : [{ kind: "edit", key }];
    }
    const control = CONTROLS[token];
    if (control !== undefined) return [control];
    return token < " " ? [] : [{ kind: "text", text: printable(token) }];
  });
}
