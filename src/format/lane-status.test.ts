import { expect, test } from "vitest";
import { iterationStarted, login, mail, runStarted } from "../../test/run-events.ts";
import type { RunEvent } from "../domain/run/event.ts";
import { createRunRecorder } from "../domain/run/run-record.ts";
import { laneFacts } from "./lane-status.ts";

/** What status says of the lanes after these events. */
function factsAfter(...events: readonly RunEvent[]): unknown {
  const { run, add } = createRunRecorder("open");
  for (const event of [{ ...runStarted, lanes: 4 }, ...events]) add(event, 1000);
  return laneFacts(run, () => "5s").slice(-2);
}

const begins = (lane: number, task: typeof login): RunEvent => ({ ...iterationStarted, iteration: lane, lane, task });

test("L-25 L-43 lanes without a task say why, and the one that waits to work alone is among those that have one", () => {
  const held: RunEvent = { type: "lanes.held", why: "alone", task: mail, lane: 2 };
  const waits = ["Lane 2", [`${mail.id}  Send mail`, "waiting until no other lane works"]];
  expect(factsAfter(begins(1, login), held)).toEqual([waits, ["No task", "lanes 3, 4: lane 2 works alone"]]);
  const [, none] = factsAfter(begins(2, mail), held) as unknown[];
  expect(none).toEqual(["No task", "lanes 1, 3, 4: lane 2 works alone"]);
  const free: RunEvent = { type: "lanes.held" };
  expect(factsAfter(begins(1, login), held, free)).toEqual([expect.anything(), ["No task", "lanes 2, 3, 4"]]);
});
