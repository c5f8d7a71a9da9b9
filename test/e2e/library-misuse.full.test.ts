import { describe, expect, test } from "vitest";
import { createPlainReader, type Harness, openWorkspace, RalphError, run, type RunOptions } from "../../src/index.ts";
import { type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";

const TYPES = "Correct it: the types of the package describe every option";

/** What a program is told whose options no compiler has seen. */
function refusal(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error instanceof RalphError ? [error.kind, error.message, error.hint] : error;
  }
  return undefined;
}

const FACTS: Harness["facts"] = {
  title: "Mine",
  stopOrder: [{ signal: "SIGKILL", waitMs: 100 }],
  usage: "none",
  cost: "none",
  takesSystemPrompt: false,
  takesSessionId: false,
  quirks: [],
};

describe("options that no compiler has seen are refused at once, with a hint", () => {
  test.each([
    [null, "The options must be an object, not null", TYPES],
    [{ cwd: 5 }, "cwd must be text, not 5", TYPES],
    [{ mode: "bild" }, 'mode must be one of auto, plan, build, not "bild"', TYPES],
    [{ gate: [] }, "Unknown key gate; the closest is gates", "Write `gates`"],
    [{ tasks: "t-1" }, 'tasks must be a list of texts, not "t-1"', TYPES],
    [{ harness: 5 }, "harness must be the name of a harness, or a list of names, not 5", TYPES],
    [{ signal: {} }, "signal must be an AbortSignal, not {}", TYPES],
    [{ config: "x" }, 'config must be an object, not "x"', TYPES],
    [{ gates: "npm test" }, 'gates must be a list, not "npm test"', TYPES],
    [{ gates: [{ run: "true" }] }, "gates[0].id is missing; it must be text", "Add `id`"],
    [{ gates: [{ id: "a", cmd: "true" }] }, "Unknown key gates[0].cmd", "Use only: id, run, check, timeoutMs, retries"],
    [
      { gates: [{ id: "a" }] },
      "gates[0] must have one of run and check",
      "Name a shell command as run, or a function as check",
    ],
    [
      { gates: [{ id: "a", run: "true", check: () => true }] },
      "gates[0] must have one of run and check",
      "Name a shell command as run, or a function as check",
    ],
    [{ gates: [{ id: "a", run: " " }] }, 'gates[0].run must be a shell command, not " "', TYPES],
    [
      { gates: [{ id: "a", run: "true", timeoutMs: -5 }] },
      "gates[0].timeoutMs must be a number of milliseconds greater than 0, not -5",
      TYPES,
    ],
    [{ scope: "a" }, 'scope must be an object, not "a"', TYPES],
    [
      { scope: { project: "a", change: "b" } },
      "scope has project and change, which cannot be used together",
      "Name one of project, change and sprint; module alone or beside change",
    ],
    [
      { scope: { change: "a", module: "b", sprint: "c" } },
      "scope has change and sprint and module, which cannot be used together",
      "Name one of project, change and sprint; module alone or beside change",
    ],
    [{ tasks: ["t-1", 5] }, "tasks[1] must be text, not 5", TYPES],
    [{ harnesses: { mine: {} } }, "harnesses.mine.start is missing; it must be a function", "Add `start`"],
    [
      { harnesses: { mine: { start: () => 1, reader: () => 1, facts: { ...FACTS, cost: "some" } } } },
      'harnesses.mine.facts.cost must be one of none, reported, estimated, not "some"',
      TYPES,
    ],
  ])("%j", (options, message, hint) => {
    expect(refusal(() => run(options as RunOptions))).toEqual(["usage", message, hint]);
  });

  test("the calls of a workspace, too", async () => {
    const place = await loopWorkspace({ script: "[]", tasks: ["One"] });
    await expect(openWorkspace({ dir: place.folder } as never)).rejects.toThrow("Unknown key dir");
    const { tasks, context, prompt } = await openWorkspace({ cwd: place.folder });
    await expect(tasks.get(undefined as never)).rejects.toThrow("id must be text, not undefined");
    await expect(tasks.add(undefined as never)).rejects.toThrow("task must be an object, not undefined");
    await expect(tasks.ready({ projct: "a" } as never)).rejects.toThrow("Unknown key scope.projct");
    await expect(context.add(5 as never)).rejects.toThrow("text must be text, not 5");
    await expect(prompt("bild" as never)).rejects.toThrow('mode must be one of plan, build, not "bild"');
    const listed = tasks.list({ states: ["redy"] as never })[Symbol.asyncIterator]();
    await expect(listed.next()).rejects.toThrow("states[0] must be one of");
  });
});

describe("a harness of one's own that fails ends the run with a sentence, and leaves nothing behind", () => {
  const command = { file: "sh", args: ["-c", "echo hi; sleep 600"], env: {}, files: [] };
  const boom = (): never => {
    throw new Error("boom");
  };
  const good: Harness = { start: () => command, reader: createPlainReader, facts: FACTS };
  const reader = (more: object): Harness => ({
    ...good,
    reader: () => ({ line: () => [], hasResult: () => false, end: () => [], ...more }),
  });
  const cases: readonly (readonly [string, Harness, string])[] = [
    ["start throws", { ...good, start: boom }, "start of the harness mine failed: boom"],
    [
      "start answers with a word",
      { ...good, start: () => "sh" as never },
      'start of the harness mine must return file, args, env and files, not "sh"',
    ],
    ["reader throws", { ...good, reader: boom }, "reader of the harness mine failed: boom"],
    ["line throws", reader({ line: boom }), "line of the harness mine failed: boom"],
    [
      "line answers with a number",
      reader({ line: () => 5 }),
      "line of the harness mine must return a list of events, not 5",
    ],
  ];

  test.each(cases)("%s", async (_name, mine, message) => {
    const place: LoopWorkspace = await loopWorkspace({ script: "[]", tasks: ["One"] });
    const { finished } = run({ cwd: place.folder, harness: "mine", harnesses: { mine } });
    const hint = "Correct the harness mine of your program";
    await expect(finished).rejects.toMatchObject({ name: "RalphError", kind: "config", message, hint });
    const [task] = await (await openWorkspace({ cwd: place.folder })).tasks.ready();
    expect(task?.title).toBe("One");
    expect((await place.ralphctl("doctor")).stdout).toContain("No active run, no stray processes");
  });
});
