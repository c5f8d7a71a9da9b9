import { describe, expect, test } from "vitest";
import { checkStrategy, chooseModel, type ModelSituation, type ModelStrategy } from "./model-choice.ts";

const roles = { model: "default", smart: "opus", fast: "haiku" };
const fresh: ModelSituation = { mode: "build", attempts: 0, wasRejected: false };

describe("model-R1", () => {
  test.each<[ModelStrategy, Partial<ModelSituation>, string]>([
    ["fixed", {}, "default"],
    ["fixed", { mode: "plan", attempts: 2, wasRejected: true }, "default"],
    ["plan-then-execute", { mode: "plan" }, "opus"],
    ["plan-then-execute", { mode: "reflect" }, "opus"],
    ["plan-then-execute", { mode: "build", wasRejected: true }, "haiku"],
    ["cost-optimized", {}, "haiku"],
    ["cost-optimized", { wasRejected: true }, "opus"],
    ["escalate", { attempts: 0 }, "haiku"],
    ["escalate", { attempts: 1 }, "default"],
    ["escalate", { attempts: 2 }, "opus"],
    ["escalate", { attempts: 9 }, "opus"],
  ])("%s in %j: %s", (strategy, situation, model) => {
    expect(chooseModel(strategy, roles, { ...fresh, ...situation })).toEqual({ model });
  });

  test("the hint wins, then the task's own model, and both are recorded as overrides", () => {
    expect(chooseModel("escalate", roles, { ...fresh, hint: "sonnet", taskModel: "x" })).toEqual({
      model: "sonnet",
      override: "hint",
    });
    expect(chooseModel("escalate", roles, { ...fresh, taskModel: "x" })).toEqual({ model: "x", override: "task" });
  });

  test("a role that is not set is the CLI's own default, where a strategy allows it", () => {
    expect(chooseModel("fixed", { ...roles, model: null }, fresh)).toEqual({ model: undefined });
    expect(chooseModel("escalate", { ...roles, model: null }, { ...fresh, attempts: 1 })).toEqual({ model: undefined });
  });

  test("X-78 a strategy whose roles are unset is refused", () => {
    expect(() => checkStrategy("escalate", "codex", { model: null, smart: null, fast: "mini" })).toThrow(
      "The strategy escalate needs models of codex that are not set: smart",
    );
    expect(() => checkStrategy("fixed", "codex", { model: null, smart: null, fast: null })).not.toThrow();
    expect(() => checkStrategy("escalate", "claude", roles)).not.toThrow();
  });
});
