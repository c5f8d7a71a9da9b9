const UNITS = { GB: 1024 ** 3, MB: 1024 ** 2, KB: 1024, B: 1 } as const;

/** One whole number and one unit; a bare number is bytes. */
export const SIZE = /^(\d+)(GB|MB|KB|B)?$/;

/** How a size is written, as the end of a sentence that begins with "must be". */
export const SIZE_FORM = "a size above zero, written like 64KB, 5MB, 1GB or 4096 (bytes; 1KB is 1024)";

/** Bytes of `64KB`, `5MB`, `1GB`, `512B` or `512`; undefined for anything else, zero included. 1KB is 1024 bytes. */
export function parseSize(written: string | number): number | undefined {
  const match = SIZE.exec(String(written));
  if (match === null) return undefined;
  const bytes = Number(match[1]) * UNITS[(match[2] ?? "B") as keyof typeof UNITS];
  return bytes > 0 && Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** The size in the largest unit that leaves no fraction: 65536 is `64KB`, 1000 is `1000B`. */
export function formatSize(bytes: number): string {
  const [unit, factor] = Object.entries(UNITS).find(([, factor]) => bytes >= factor && bytes % factor === 0) ?? [
    "B",
    1,
  ];
  return `${bytes / factor}${unit}`;
}
