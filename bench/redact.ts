import { readdirSync, readFileSync } from "node:fs";
import type { RunEvent } from "../src/domain/run/event.ts";
import { recordEvent } from "../src/domain/run/event-line.ts";
import { createRedactor, type Redactor, redactingEvents } from "../src/domain/redact.ts";
import type { Harness } from "../src/harness/harness.ts";
import * as catalogue from "../src/harness/index.ts";
import type { Print } from "./all.ts";
import { session } from "./harness-session.ts";
import { median, row, timed } from "./measure.ts";

const FOLDER = "src/harness/recorded";
const TIMES = 100;

/** Reading all recordings and recording their events (B-05), with redaction and without. */
export function benchRedact(print: Print): void {
  const harnesses: Readonly<Record<string, Harness>> = catalogue;
  const sessions = readdirSync(FOLDER).flatMap((name) =>
    readdirSync(`${FOLDER}/${name}`)
      .filter((file) => file.endsWith(".ndjson"))
      .map((file) => ({
        harness: harnesses[name]!,
        lines: readFileSync(`${FOLDER}/${name}/${file}`, "utf8").split("\n").filter(Boolean),
      })),
  );
  const play = (redact: Redactor | undefined): void => {
    for (let round = 0; round < TIMES; round += 1) {
      for (const { harness, lines } of sessions) record(harness, lines, redact);
    }
  };
  const rules = { variables: [], forms: [], allow: [] };
  const plain = (): void => play(undefined);
  const compared = (name: string, values: number): void => {
    const env = Object.fromEntries(
      Array.from({ length: values }, (_, at) => [`KEY_${at}`, `secret-${at * 7919}-value`]),
    );
    const redact = createRedactor(env, { rules });
    // In turns, so that a busy machine slows both alike.
    const rounds = Array.from({ length: 5 }, () => timed(1, () => play(redact)) / timed(1, plain));
    print(
      row(`read and record, ${name}`, `${((median(rounds) - 1) * 100).toFixed(0)} %`, "more than without redaction"),
    );
  };
  compared("10 secrets", 10);
  compared("10,000 secrets", 10_000);
}

function record(harness: Harness, lines: readonly string[], redact: Redactor | undefined): void {
  const reader = harness.reader(session);
  const safe = redact === undefined ? (event: RunEvent) => event : redactingEvents(redact);
  const facts = { at: 0, run: "r-1", redact: (text: string) => text };
  for (const line of lines) {
    for (const event of reader.line(line)) recordEvent(safe({ ...event, iteration: 1 }), facts);
  }
  reader.end({ code: 0, signal: null, atMs: 0, stderr: "", files: {} });
}
