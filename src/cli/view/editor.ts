import type { Palette } from "./palette.ts";
import { charactersOf, cutText, painted, type Span, widthOf, span } from "./spans.ts";

/** A line that is being typed. */
export interface Editor {
  readonly characters: readonly string[];
  /** The position of the cursor. */
  readonly at: number;
}

export const emptyEditor: Editor = { characters: [], at: 0 };

/** Limits a huge paste. */
const MOST_CHARACTERS = 10_000;

export const textOf = ({ characters }: Editor): string => characters.join("");

/** What the editing keys do. */
export type EditKey = "left" | "right" | "home" | "end" | "backspace" | "delete" | "word" | "clear";

export function withText({ characters, at }: Editor, text: string): Editor {
  const before = characters.slice(0, at).join("") + text;
  // New text may combine with the character before it.
  const start = charactersOf(before).slice(0, MOST_CHARACTERS);
  return { characters: [...start, ...characters.slice(at)].slice(0, MOST_CHARACTERS), at: start.length };
}

export const withKey = (editor: Editor, key: EditKey): Editor => EDITS[key](editor);

const EDITS: Readonly<Record<EditKey, (editor: Editor) => Editor>> = {
  left: ({ characters, at }) => ({ characters, at: Math.max(0, at - 1) }),
  right: ({ characters, at }) => ({ characters, at: Math.min(characters.length, at + 1) }),
  home: ({ characters }) => ({ characters, at: 0 }),
  end: ({ characters }) => ({ characters, at: characters.length }),
  backspace: ({ characters, at }) => without(characters, Math.max(0, at - 1), at),
  delete: ({ characters, at }) => without(characters, at, at + 1),
  word: ({ characters, at }) => without(characters, wordStart(characters, at), at),
  clear: () => emptyEditor,
};

const without = (characters: readonly string[], from: number, to: number): Editor => ({
  characters: [...characters.slice(0, from), ...characters.slice(to)],
  at: from,
});

function wordStart(characters: readonly string[], at: number): number {
  let from = at;
  while (from > 0 && characters[from - 1]!.trim() === "") from -= 1;
  while (from > 0 && characters[from - 1]!.trim() !== "") from -= 1;
  return from;
}

const LABEL = "Tell the next iteration: ";

/** The line with its cursor, and as much around it as fits. */
export function editorLine({ characters, at }: Editor, palette: Palette, width: number): string {
  const label = width >= 2 * LABEL.length ? LABEL : "> ";
  const room = Math.max(4, width - widthOf(label));
  const under = characters[at] ?? " ";
  // Fill to the left of the cursor first; the right side gets the rest.
  let from = at;
  let taken = Math.max(1, widthOf(under));
  while (from > 0 && taken + widthOf(characters[from - 1]!) <= room) {
    from -= 1;
    taken += widthOf(characters[from]!);
  }
  const after = cutText(characters.slice(at + 1).join(""), room - taken);
  const isEmpty = characters.length === 0;
  const spans: Span[] = [
    span(label, palette.attention),
    span(characters.slice(from, at).join(""), palette.plain),
    // Without colors the cursor needs its own character.
    span(palette.hasColors ? under : `_${under.trim()}`, palette.cursor),
    {
      text: isEmpty ? cutText("  Enter adds it, Esc cancels", room - 2) : after,
      paint: isEmpty ? palette.faint : palette.plain,
    },
  ];
  return painted(spans);
}
