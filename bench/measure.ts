/** The middle of the measured times, in milliseconds. */
export function median(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

/** How long an action takes, in milliseconds: the median of several goes. */
export function timed(rounds: number, action: () => unknown): number {
  action();
  const times = Array.from({ length: rounds }, () => {
    const start = performance.now();
    action();
    return performance.now() - start;
  });
  return median(times);
}

export const row = (name: string, ...cells: readonly string[]): string =>
  `  ${name.padEnd(44)}${cells.map((cell) => ` ${cell.padStart(16)}`).join("")}`;
