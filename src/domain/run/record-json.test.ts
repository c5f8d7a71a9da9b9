import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryEvent } from "../../../test/arbitrary-event.ts";
import { byLane } from "../../../test/lane.ts";
import { iterationStarted, runStarted } from "../../../test/run-events.ts";
import type { RunEvent } from "./event.ts";
import { recordJson, recordOf, type RecordJson } from "./record-json.ts";
import { createRunRecorder, type RunRecord } from "./run-record.ts";

const FIRST: readonly RunEvent[] = [runStarted, iterationStarted];

const folded = (events: readonly RunEvent[], from?: RunRecord): RunRecord => {
  const { run, add } = createRunRecorder("open", from);
  for (const event of events) add(event, 1000);
  return run;
};

const sent = (run: RunRecord): RunRecord => recordOf(JSON.parse(JSON.stringify(recordJson(run))) as RecordJson);

test("U-07 a page that goes on with a snapshot knows the same as one that heard every event", () => {
  // As they are read from a log.
  const read = arbitraryEvent().map((event) => JSON.parse(JSON.stringify(event)) as RunEvent);
  const events = fc.array(read, { maxLength: 40 }).map((more) => FIRST.concat(more));
  fc.assert(
    fc.property(events, fc.nat(42), (all, at) => {
      const whole = folded(all);
      const resumed = folded(all.slice(at), sent(folded(all.slice(0, at))));
      expect(sent(resumed)).toEqual(sent(whole));
    }),
    { numRuns: byLane(50, 1000) },
  );
});

test("U-07 to go on with a record changes nothing of it", () => {
  const before = folded([runStarted, iterationStarted]);
  const then = structuredClone(before);
  folded([{ type: "agent.tool", iteration: iterationStarted.iteration, name: "Read", input: "a" }], before);
  expect(before).toEqual(then);
});
