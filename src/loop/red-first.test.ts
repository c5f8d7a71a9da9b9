import { expect, test } from "vitest";
import { newRepository } from "../../test/git-place.ts";
import { addTask, startTestRun } from "../../test/running.ts";
import { taskGates } from "../domain/distinct-gates.ts";
import type { Gate, GateEnd, GateResult } from "../domain/gate.ts";
import { redBefore, saysNo, tryOwnGates } from "./red-first.ts";

const own = (id: string, run: string) => ({ id, run, retries: 0 });
const passed = (gate: Gate): GateResult => ({ gate, passed: true, runs: [] });

test("T-21 own gates that said no before the first session, and red ones of the baseline, speak of the work", async () => {
  const gates = [own("work", "test -f done.txt"), own("missing", "./tool.sh"), own("green", "true")];
  const { lane } = await startTestRun(await newRepository({}));
  Object.assign(lane.deps.gates, { ofTask: (task: Parameters<typeof taskGates>[0]) => taskGates(task, 30_000) });
  const { store } = lane.deps;
  const task = await addTask(lane, { gates });
  const released = await store.claim({ scopes: ["workspace"], owner: lane.deps.owner, leaseMs: 1000 });
  await store.release(released!.lease, "no session began");
  const tried = await tryOwnGates(lane, task);
  expect(tried?.map(({ passed: isGreen }) => isGreen)).toEqual([false, false, true]);

  const results = taskGates(task, 30_000).map(passed);
  const guard: Gate = { id: "test", kind: "workspace", run: "true", timeoutMs: 1000, retries: 0 };
  lane.run.redBefore = ["test", "agents"];
  const others = [
    passed(guard),
    passed({ ...guard, id: "lint" }),
    passed({ ...guard, id: "agents", isAgents: true }),
    { ...passed(guard), passed: false },
  ];
  const RED = ["work failed before the work", "test failed before the work"];
  expect(await redBefore(lane, task, [...results, ...others])).toEqual(RED);
  // Another command under the same name is another gate.
  const edited = { ...results[0]!, gate: { ...results[0]!.gate, run: "true" } };
  expect(await redBefore(lane, task, [edited])).toEqual([]);

  // What they say after a session is not about the work of the first one.
  const claim = await store.claim({ scopes: ["workspace"], owner: lane.deps.owner, leaseMs: 1000 });
  await store.settle(claim!.lease, { outcome: "rejected", to: "pending", counted: true });
  expect(await tryOwnGates(lane, task)).toBeUndefined();
  expect(await redBefore(lane, task, results)).toEqual(RED.slice(0, 1));

  // Done and reopened: it was green then, so its new work has to show something else.
  const again = await store.claim({ scopes: ["workspace"], owner: lane.deps.owner, leaseMs: 1000 });
  await store.settle(again!.lease, { outcome: "verified", to: "done", counted: false });
  await store.change(task.id, { kind: "reset" }, "person");
  await store.update(task.id, { gates: [own("work", "true")] }, "person");
  const reopened = (await store.get(task.id))!;
  expect((await tryOwnGates(lane, reopened))?.map(({ passed: isGreen }) => isGreen)).toEqual([true]);
  expect(await redBefore(lane, task, results)).toEqual([]);
});

test("T-21 a gate that was stopped, took too long or misses its program says nothing about the work", () => {
  const gate: Gate = { id: "test", kind: "workspace", run: "x", timeoutMs: 1000, retries: 0 };
  const output = { head: "", tail: "", file: "", bytes: 0 };
  const ended = (end: GateEnd): GateResult => ({
    gate,
    passed: false,
    runs: [{ end, durationMs: 1, swept: 0, output }],
  });
  const ends: GateEnd[] = [
    { kind: "exit", code: 1 },
    { kind: "exit", code: 126 },
    { kind: "exit", code: 127 },
    { kind: "timeout", afterMs: 1000 },
    { kind: "stopped" },
  ];
  expect(ends.filter((end) => saysNo(ended(end)))).toEqual([{ kind: "exit", code: 1 }]);
});
