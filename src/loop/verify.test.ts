import { join } from "node:path";
import { expect, test } from "vitest";
import { newRepository } from "../../test/git-place.ts";
import { addTask, scriptedAgent, startTestRun } from "../../test/running.ts";
import { write } from "../../test/temporary-folder.ts";
import type { Gate } from "../domain/gate.ts";
import type { RunEvent } from "../domain/run/event.ts";
import { changesBetween, snapshot } from "../system/git/snapshot.ts";
import type { Attempted } from "./attempt.ts";
import type { RunDeps } from "./run-deps.ts";
import { proving } from "./run-state.ts";
import { noEffects } from "./session-effects.ts";
import { verify } from "./verify.ts";

const GATE: Gate = { id: "test", kind: "workspace", run: "sh check.sh", timeoutMs: 30_000, retries: 0 };

/** The verdict about files that a session wrote, in a run that a person ends for good at an event of this type. */
async function verdictOn(
  files: Readonly<Record<string, string>>,
  endsAt: RunEvent["type"] | undefined,
  own: Partial<RunDeps> = {},
): Promise<string> {
  const kill = new AbortController();
  const emit = ({ type }: RunEvent): void => {
    if (type === endsAt) kill.abort();
  };
  const repository = await newRepository({ "check.sh": "grep -qx 4 sum.txt\n", "sum.txt": "4\n" });
  const gates = { ...(await startTestRun(repository)).lane.deps.gates, gates: [GATE] };
  const { lane } = await startTestRun(repository, { ...own, gates, emit, kill: kill.signal, rules: ACTING });
  write(repository.folder, files);
  const now = await snapshot(repository, lane.base);
  const changes = await changesBetween(repository, lane.base, now);
  const task = await addTask(lane);
  const attempt: Attempted = {
    claim: { task, lease: { task: task.id, fence: 1, owner: lane.deps.owner } },
    earlier: [],
    lost: undefined,
    iteration: 1,
    startedMs: 0,
    folder: join(lane.deps.folder, "1"),
    agent: lane.deps.agents[0],
    model: undefined,
    session: SESSION,
    effects: { ...noEffects(now), changes, hasChanged: true },
  };
  const said = {
    claim: "done",
    channel: "message",
    notes: [],
    text: "",
    promisesAll: false,
    nextModel: undefined,
  } as const;
  const { verdict } = await proving(lane, async () => await verify(lane, attempt, said));
  return verdict.kind === "accepted" ? verdict.strength : verdict.kind;
}

const ACTING = { acting: [".vscode/**"] };
const SESSION: Attempted["session"] = {
  outcome: { kind: "done" },
  message: "",
  sessionId: undefined,
  stoppedBy: undefined,
  isOverBudget: false,
  swept: 0,
  durationMs: 0,
  given: "",
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: undefined, isEstimated: false },
};

const PASSES = scriptedAgent("- - say: <verify-pass/>");

test.each<[string, Readonly<Record<string, string>>, Partial<RunDeps>, string]>([
  ["a check that the work emptied", { "sum.txt": "5\n", "check.sh": "true\n" }, {}, "parked"],
  ["a file that acts on the person's machine", { ".vscode/tasks.json": "{}\n" }, {}, "parked"],
  ["a reviewer who has not been asked yet", { "more.txt": "more\n" }, { reviewer: PASSES }, "proven"],
])("L-40 T-10 P-15 a run that is ended between green gates and %s decides nothing", async (_, files, own, whole) => {
  expect(await verdictOn(files, "gate.finished", own)).toBe("undecided");
  expect(await verdictOn(files, undefined, own)).toBe(whole);
});

test("L-40 P-15 red gates reject, also if the run is ended right after them", async () => {
  expect(await verdictOn({ "sum.txt": "5\n" }, "gate.finished")).toBe("rejected");
});
