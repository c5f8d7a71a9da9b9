import { expect, test } from "vitest";
import { type Reader, READERS, UNITS } from "../../test/hostile-readers.ts";

// B-04, T-10: an agent writes these texts. A reader whose time grows with the square of their length could be kept busy for
// hours.

const SIZES = { small: 40_000, large: 160_000 };
/** Four times the text may take eight times as long; squares take sixteen. Less than this long says nothing. */
const MOST_GROWTH = 8;
const NOTICEABLE_MS = 100;

async function cpuMs(read: Reader, text: string): Promise<number> {
  const start = process.cpuUsage();
  await read(text);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

const filled = (unit: string, size: number): string => unit.repeat(Math.ceil(size / unit.length));

/** Other work of the process may count against one try, but not against three. */
async function isSlow(read: Reader, unit: string): Promise<boolean> {
  for (let tries = 0; tries < 3; tries += 1) {
    const large = await cpuMs(read, filled(unit, SIZES.large));
    if (large < NOTICEABLE_MS || large < (await cpuMs(read, filled(unit, SIZES.small))) * MOST_GROWTH) return false;
  }
  return true;
}

test.each(Object.entries(READERS))(
  "B-04 T-10 %s reads a text of any kind in time that grows with its length",
  async (_, read) => {
    const slow: string[] = [];
    for (const unit of UNITS) if (await isSlow(read, unit)) slow.push(unit);
    expect(slow).toEqual([]);
  },
  600_000,
);
