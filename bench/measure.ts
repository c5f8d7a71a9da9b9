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

/** What something took of the clock, and of the processor in this process: on a busy machine the clock says little. */
export interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
}

export async function costOf(action: () => unknown): Promise<Cost> {
  const [start, before] = [performance.now(), process.cpuUsage()];
  await action();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - start, cpuMs: (user + system) / 1000 };
}

export const medianCost = (costs: readonly Cost[]): Cost => ({
  ms: median(costs.map(({ ms }) => ms)),
  cpuMs: median(costs.map(({ cpuMs }) => cpuMs)),
});

/** The median cost of each side. They take turns, so that all see the same machine; the first turn warms up. */
export async function byTurns<Name extends string>(
  rounds: number,
  sides: Readonly<Record<Name, () => unknown>>,
): Promise<Record<Name, Cost>> {
  const named = Object.entries<() => unknown>(sides).map(([name, run]) => ({ name, run, costs: [] as Cost[] }));
  for (const { run } of named) await run();
  for (let round = 0; round < rounds; round += 1) {
    for (const { run, costs } of named) costs.push(await costOf(run));
  }
  return Object.fromEntries(named.map(({ name, costs }) => [name, medianCost(costs)])) as Record<Name, Cost>;
}

export const row = (name: string, ...cells: readonly string[]): string =>
  `  ${name.padEnd(44)}${cells.map((cell) => ` ${cell.padStart(16)}`).join("")}`;
