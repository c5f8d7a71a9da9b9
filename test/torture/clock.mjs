// Preloaded into every Node program of a case: once a file is there, the clock is wrong by so many milliseconds.
import { existsSync } from "node:fs";

const { TORTURE_CLOCK = "", TORTURE_CLOCK_BY_MS = "0" } = process.env;
const RealDate = Date;
const now = () => RealDate.now() + (existsSync(TORTURE_CLOCK) ? Number(TORTURE_CLOCK_BY_MS) : 0);

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(now());
    else super(...parts);
  }
  static now() {
    return now();
  }
};
