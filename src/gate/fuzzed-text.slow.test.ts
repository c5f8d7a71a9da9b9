import fc from "fast-check";
import { test } from "vitest";
import { RalphError } from "../domain/error.ts";
import { type Reader, READERS, UNITS } from "../../test/hostile-readers.ts";

/** `RALPH_FUZZ=1000000` reads a million texts in all. */
const INPUTS = Number(process.env["RALPH_FUZZ"] ?? 100_000);
const MOST_MS = 200;

const unit = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...UNITS) },
  fc.string({ unit: "binary", maxLength: 12 }),
);
/** A few pieces, most of them once and some very often. */
const text = fc
  .array(fc.tuple(unit, fc.oneof({ weight: 5, arbitrary: fc.constant(1) }, fc.nat(2000))), { maxLength: 12 })
  .map((parts) => parts.map(([piece, times]) => piece.repeat(times)).join(""));

async function cpuMs(read: Reader, input: string): Promise<number> {
  const start = process.cpuUsage();
  try {
    await read(input);
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

const readers = Object.entries(READERS);

test.each(readers)(
  "B-04 %s reads any text within 200 ms, and throws nothing",
  async (_, read) => {
    const isQuick = async (input: string): Promise<boolean> => {
      // Other work of the process may count against one try, but not against three.
      for (let tries = 0; tries < 3; tries += 1) if ((await cpuMs(read, input)) < MOST_MS) return true;
      return false;
    };
    await fc.assert(fc.asyncProperty(text, isQuick), { numRuns: Math.ceil(INPUTS / readers.length) });
  },
  3_600_000,
);
