import type { Progress } from "../../domain/run/run-record.ts";

/** `999`, `1.2k`, `120k`, `3.4M`: how much it is at a glance. */
export function compact(count: number): string {
  for (const [unit, size] of UNITS) {
    // From where it would be written as a thousand of the next smaller unit.
    if (count < (unit === "k" ? size : size * 0.9995)) continue;
    const value = count / size;
    return `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}${unit}`;
  }
  return String(Math.round(count));
}

const UNITS = [
  ["G", 1e9],
  ["M", 1e6],
  ["k", 1e3],
] as const;

export interface Bar {
  readonly full: string;
  readonly empty: string;
}

/** Full only when all is done, and not empty once something is. */
export function barOf({ done, total }: Progress, width: number): Bar {
  const exact = total === 0 ? 0 : (done / total) * width;
  const cells = done >= total && total > 0 ? width : Math.min(Math.max(Math.round(exact), done > 0 ? 1 : 0), width - 1);
  const full = Math.max(0, Math.min(cells, width));
  return { full: "█".repeat(full), empty: "░".repeat(Math.max(0, width - full)) };
}
