/** A text of at most so many characters; what was cut off at the end is an ellipsis. */
export const cutEnd = (text: string, most: number): string =>
  text.length <= most ? text : `${beginning(text, Math.max(most - 1, 0)).trimEnd()}…`;

/** The end of a long text: an agent's conclusion is there. */
export const cutStart = (text: string, max: number): string =>
  text.length <= max ? text : `… ${text.slice(text.length - max + 2).trimStart()}`;

/** About so many characters of a text: the beginning says what it is, the end how it went. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${beginning(text, Math.floor(most / 4))}\n[… middle omitted …]\n${end(text, Math.floor((most * 3) / 4))}`;
}

/** Never half of a character. */
function beginning(text: string, length: number): string {
  return text.slice(0, isInside(text, length) ? length - 1 : length);
}

function end(text: string, length: number): string {
  const start = text.length - length;
  return text.slice(isInside(text, start) ? start + 1 : start);
}

/** Whether a place in a text is between the two halves of a character. */
const isInside = (text: string, place: number): boolean =>
  /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(place - 1, 0), place + 1));
