/** A named piece of a prompt. The texts of all sections, put together, are the prompt, byte for byte. */
export interface Section {
  /** Stable, for programs: `context`, `task`, `change` … */
  readonly name: string;
  readonly text: string;
}

/** What stands between major sections. */
export const SEPARATOR = "\n\n---\n\n";

export const textOf = (sections: readonly Section[]): string => sections.map((section) => section.text).join("");

/** Sections in sequence with {@link SEPARATOR} between them; each carries the separator that precedes it. */
export const separated = (sections: readonly Section[]): Section[] =>
  sections.map((section, index) => (index === 0 ? section : { ...section, text: SEPARATOR + section.text }));

/** Neighbours of one name as one section. */
export function merged(sections: readonly Section[]): Section[] {
  const result: Section[] = [];
  for (const section of sections) {
    const last = result.at(-1);
    if (last?.name === section.name) result[result.length - 1] = { ...last, text: last.text + section.text };
    else result.push(section);
  }
  return result;
}

/** The sections whose whole text is `textOf(sections).trim()`. */
export function trimmed(sections: readonly Section[]): Section[] {
  const whole = textOf(sections);
  let skip = whole.length - whole.trimStart().length;
  let keep = whole.trim().length;
  return sections.flatMap((section) => {
    const start = Math.min(skip, section.text.length);
    skip -= start;
    const text = section.text.slice(start, start + keep);
    keep -= text.length;
    return text === "" ? [] : [{ ...section, text }];
  });
}
