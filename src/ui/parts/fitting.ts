/** Widths of letters in a system's sans serif, in parts of the size. */
const NARROW = /[fijlrtI.,:;'|!()[\]\- ]/;
const WIDE =
  /[mwMW@%<>=+~#…]|[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uff60]|\p{Extended_Pictographic}/u;
const CAPITAL = /\p{Lu}/u;

const widthOf = (character: string): number =>
  NARROW.test(character) ? 0.37 : WIDE.test(character) ? 1 : CAPITAL.test(character) ? 0.74 : 0.64;

/** As much of a text as fits into so many pixels, about: a picture cannot cut a text itself. */
export function fitting(text: string, width: number, size = 12): string {
  let left = width / size;
  let fits = "";
  for (const character of text) {
    left -= widthOf(character);
    if (left < 0) return `${fits.trimEnd()}…`;
    // Room for the mark of the cut.
    if (left >= 1) fits += character;
    else if (text.length > fits.length + 2 * character.length) return `${fits.trimEnd()}…`;
    else fits += character;
  }
  return fits;
}
