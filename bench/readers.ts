import { readdirSync, readFileSync } from "node:fs";
import type { Harness } from "../src/harness/harness.ts";
import * as catalogue from "../src/harness/index.ts";
import type { Print } from "./all.ts";
import { session } from "./harness-session.ts";
import { median, row, timed } from "./measure.ts";

const FOLDER = "src/harness/recorded";
const ROUNDS = 1000;

/** Reading all recordings of each CLI, from memory, against parsing the same lines as JSON and nothing more. */
export function benchReaders(print: Print): void {
  const harnesses: Readonly<Record<string, Harness>> = catalogue;
  const all = { bytes: 0, parsing: 0, reading: 0 };
  for (const name of readdirSync(FOLDER).sort()) {
    const files = readdirSync(`${FOLDER}/${name}`).filter((file) => file.endsWith(".ndjson"));
    const sessions = files.map((file) => readFileSync(`${FOLDER}/${name}/${file}`, "utf8").split("\n").filter(Boolean));
    const bytes = sessions.flat().reduce((sum, line) => sum + Buffer.byteLength(line), 0);
    // In turns, so that a busy machine slows both alike.
    const rounds = Array.from({ length: 5 }, () => ({
      parsing: timed(1, () => times(() => sessions.forEach(parse))),
      reading: timed(1, () => times(() => sessions.forEach((lines) => read(harnesses[name]!, lines)))),
    }));
    const parsing = median(rounds.map((round) => round.parsing)) * 5;
    const reading = median(rounds.map((round) => round.reading)) * 5;
    print(rowOf(name, { bytes, parsing, reading }));
    all.bytes += bytes;
    all.parsing += parsing;
    all.reading += reading;
  }
  print(rowOf("all of them", all));
}

/** A fifth of the rounds, five times. */
function times(action: () => void): void {
  for (let round = 0; round < ROUNDS / 5; round += 1) action();
}

function parse(lines: readonly string[]): void {
  for (const line of lines) JSON.parse(line);
}

function read(harness: Harness, lines: readonly string[]): void {
  const reader = harness.reader(session);
  for (const line of lines) reader.line(line);
  reader.end({ code: 0, signal: null, atMs: 0, stderr: "", files: {} });
}

function rowOf(name: string, { bytes, parsing, reading }: { bytes: number; parsing: number; reading: number }): string {
  const speed = (bytes * ROUNDS) / 1024 / 1024 / (reading / 1000);
  return row(
    `read ${name}, ${ROUNDS} times`,
    `${reading.toFixed(0)} ms`,
    `${speed.toFixed(0)} MB/s`,
    `${(parsing / reading).toFixed(2)} of JSON.parse`,
  );
}
