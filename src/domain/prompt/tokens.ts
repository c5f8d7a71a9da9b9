/**
 * About how many tokens a text is. Models differ; four Latin letters or one and a half other characters come close
 * enough to see what makes a prompt expensive.
 */
export function estimateTokens(text: string): number {
  let latin = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) < 0x250) latin += 1;
  return Math.ceil(latin / 4 + (text.length - latin) / 1.5);
}
