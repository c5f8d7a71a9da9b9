const UNITS_MS = { h: 3_600_000, m: 60_000, s: 1000 } as const;

/** Units from large to small, each at most once; a bare number is seconds. */
export const DURATION = /^(?=\d)(?:(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?|(\d+))$/;

/** How a duration is written, as the end of a sentence that begins with "must be". */
export const DURATION_FORM = "a duration above zero, written like 30s, 5m, 1m30s, 2h or 90 (seconds)";

/** Milliseconds of `30s`, `5m`, `1m30s`, `2h` or `90` (seconds); undefined for anything else, zero included. */
export function parseDuration(written: string | number): number | undefined {
  const match = DURATION.exec(String(written));
  if (match === null) return undefined;
  const [, hours = "0", minutes = "0", seconds = "0", bare = "0"] = match;
  const ms = Number(hours) * UNITS_MS.h + Number(minutes) * UNITS_MS.m + (Number(seconds) + Number(bare)) * UNITS_MS.s;
  return ms > 0 && Number.isSafeInteger(ms) ? ms : undefined;
}

/** The shortest way to write a duration, to the second: `1h30m`. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / UNITS_MS.s);
  const parts = [
    [Math.floor(seconds / 3600), "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ] as const;
  const written = parts.map(([count, unit]) => (count === 0 ? "" : `${count}${unit}`)).join("");
  return written === "" ? "0s" : written;
}
