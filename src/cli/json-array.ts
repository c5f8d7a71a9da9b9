import type { Io } from "./io.ts";

export interface JsonArray {
  readonly add: (items: readonly unknown[]) => void;
  readonly end: () => void;
}

/** One valid JSON array, one item per line, written as its items come: it never is in memory as a whole. */
export function jsonArray(io: Io): JsonArray {
  let before = "[\n  ";
  return {
    add(items) {
      if (items.length === 0) return;
      io.out(`${before}${items.map((item) => JSON.stringify(item)).join(",\n  ")}`);
      before = ",\n  ";
    },
    end: () => io.out(before.startsWith("[") ? "[]\n" : "\n]\n"),
  };
}
