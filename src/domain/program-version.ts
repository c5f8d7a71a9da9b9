/** The first version in what a program says of itself: `2.1.325 (Claude Code)`, `codex-cli 0.166.0`; undefined: none. */
export const readVersion = (text: string): string | undefined => /(?<![\d.])\d{1,9}\.\d{1,9}\.\d{1,15}/.exec(text)?.[0];

/** Whether a version of three numbers comes before another. */
export function isOlder(version: string, other: string): boolean {
  const [left, right] = [version, other].map((text) => text.split(".").map(Number)) as [number[], number[]];
  const at = left.findIndex((part, place) => part !== right[place]);
  return at >= 0 && left[at]! < (right[at] ?? 0);
}
