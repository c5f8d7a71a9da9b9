import { readdirSync, readFileSync } from "node:fs";
import type { RunEvent } from "../src/domain/run/event.ts";
import { recordEvent } from "../src/domain/run/event-line.ts";
import { createRedactor, type Redactor, redactingEvents } from "../src/domain/redact.ts";
import type { Harness } from "../src/harness/harness.ts";
import * as catalogue from "../src/harness/index.ts";
import type { Print } from "./all.ts";
import { session } from "./harness-session.ts";
import { byTurns, row } from "./measure.ts";

const FOLDER = "src/harness/recorded";
const TIMES = 30;
const ROUNDS = 21;

/** Reading all recordings and recording their events (B-05), with redaction and without. */
export async function benchRedact(print: Print): Promise<void> {
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
  const compared = async (name: string, values: number): Promise<void> => {
    const env = Object.fromEntries(
      Array.from({ length: values }, (_, at) => [`KEY_${at}`, `secret-${at * 7919}-value`]),
    );
    const redact = createRedactor(env, { rules });
    const costs = await byTurns(ROUNDS, { plain: () => play(undefined), redacted: () => play(redact) });
    const more = costs.redacted.cpuMs / costs.plain.cpuMs - 1;
    print(row(`read and record, ${name}`, `${(more * 100).toFixed(0)} %`, "more cpu than without redaction"));
  };
  await compared("10 secrets", 10);
  await compared("10,000 secrets", 10_000);
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
