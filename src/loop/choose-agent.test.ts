import { expect, test } from "vitest";
import type { Harness } from "../harness/harness.ts";
import { scripted } from "../harness/scripted.ts";
import { newRepository } from "../../test/git-place.ts";
import { startTestRun } from "../../test/running.ts";
import { chooseModelFor } from "./choose-agent.ts";
import type { Agent } from "./run-deps.ts";

const WARNING =
  'The task asks for the model "home-made", whose price with scripted is not known: limits.cost would not hold';

test.each([
  ["estimated", 5, "home-made", undefined, [WARNING]],
  ["estimated", 5, "gpt-5.4", "gpt-5.4", []],
  ["estimated", undefined, "home-made", "home-made", []],
  ["reported", 5, "home-made", "home-made", []],
] as const)(
  "P-44 with a cost that is %s and a limit of %s, a task that asks for %s gets %s",
  async (cost, costUsd, taskModel, expected, warnings) => {
    const { lane, events } = await startTestRun(await newRepository({ "a.txt": "a\n" }), { rules: { costUsd } });
    const harness: Harness = { ...scripted, facts: { ...scripted.facts, cost } };
    const agent: Agent = { ...lane.deps.agents[0], harness };
    expect(chooseModelFor(lane, agent, { id: "t-1", attempts: 0, model: taskModel }).model).toBe(expected);
    expect(events).toEqual(warnings.map((text) => ({ type: "run.notice", level: "warning", text })));
  },
);
