import type { Input } from "./command.ts";
import type { Io } from "./io.ts";

export const isJson = (input: Input): boolean => input.options["json"] === true;

/** A value for a program, laid out so that a person can read it, too. */
export const printJson = (io: Io, value: unknown): void => io.out(`${JSON.stringify(value, undefined, 2)}\n`);

/** One valid JSON array, one item per line, written as its items come: it never is in memory as a whole. */
export function jsonArray(io: Io) {
  let before = "[\n  ";
  return {
    add(items: readonly unknown[]): void {
      if (items.length === 0) return;
      io.out(`${before}${items.map((item) => JSON.stringify(item)).join(",\n  ")}`);
      before = ",\n  ";
    },
    end: (): void => io.out(before.startsWith("[") ? "[]\n" : "\n]\n"),
  };
}

/** The same for items that are there already. */
export function printJsonArray(io: Io, items: readonly unknown[]): void {
  const json = jsonArray(io);
  json.add(items);
  json.end();
}
