/** How long to wait before the next try, after so many that failed. `chance`: 0 to 1, so that pages do not come all at once. */
export function waitBefore(tries: number, chance: number): number {
  const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(tries, 16));
  return Math.round(most * (0.75 + chance / 4));
}

const FIRST_MS = 500;
const LONGEST_MS = 15_000;
