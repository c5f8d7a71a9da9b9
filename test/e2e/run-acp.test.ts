import { resolve } from "node:path";
import { expect, test } from "vitest";
import { loopWorkspace, type LoopWorkspace } from "../loop-workspace.ts";
import { eventsOf } from "../run-seen.ts";
import { type } from "../recording-io.ts";

const run = (play: string): string => `run: "node ${resolve("test/acp-agent.mjs")} ${play}"`;

/** The agents are started by the built program, as by every run. */
const workspace = async (
  harness: string,
  harnesses: Readonly<Record<string, string>>,
  config?: string,
): Promise<LoopWorkspace> =>
  await loopWorkspace({ script: "[]", harness, harnesses, isBuilt: true, ...(config !== undefined && { config }) });

test("P-01 an agent that speaks ACP does the work of a task", async () => {
  const place = await workspace("acp", { acp: run("honest") });
  const done = await place.run();
  expect([done.code, done.outcomes, await place.states()]).toEqual([0, ["verified"], { "Do it": "done" }]);
  expect(eventsOf(done, "agent.notice").map(({ text }) => text)).toEqual(["Allowed once: Write done.txt (Just now)"]);
  expect(done.finished).toMatchObject({ tokens: 120, costUsd: 0.25 });
});

test("P-01 an entry of any name with kind: acp is a harness of that name", async () => {
  const place = await workspace("scripted", { cursor: `kind: acp, ${run("honest")}` });
  const done = await place.run("--harness", "cursor");
  expect([done.code, eventsOf(done, "iteration.started").map(({ harness }) => harness)]).toEqual([0, ["cursor"]]);
});

test("P-44 X-77 an agent that requires a login ends the run with 77, and with what to do", async () => {
  const place = await workspace("acp", { acp: run("login") });
  const done = await place.run();
  expect([done.code, done.outcomes, await place.states()]).toEqual([77, ["login"], { "Do it": "pending" }]);
  expect(done.finished?.help).toEqual([
    "Run the agent in a terminal and log in there, or set its key in `env` of the harness",
  ]);
});

test("W-05 a tool that was not allowed is told, and the claim without it is rejected", async () => {
  const config = "limits: { attempts: 1 }\ngates:\n  - { id: test, run: test -f done.txt }\n";
  const place = await workspace("acp", { acp: `${run("honest")}, permissions: reject` }, config);
  const done = await place.run();
  expect([done.code, done.outcomes]).toEqual([1, ["rejected"]]);
  expect(eventsOf(done, "agent.notice").map(({ text }) => text)).toEqual(["Not allowed: Write done.txt (No)"]);
});

test.each(["hang", "stubborn"])(
  "P-40 P-41 a session that takes too long is told in words first, and nothing of it is left: %s",
  async (play) => {
    const place = await workspace("acp", { acp: run(play) }, "limits: { errors: 1, attempt: 4s }\n");
    const done = await place.run();
    // Its model has not said a word: no attempt of the task.
    expect(done.outcomes).toEqual(["outage"]);
    const transcript = place.read(`.ralph/runs/${done.name}/1/transcript.ndjson`);
    expect(transcript).toContain('"method":"session/cancel","params":{"sessionId":"s-1"}');
  },
);

test("X-78 keys and programs that cannot work are refused before anything starts", async () => {
  const place = await loopWorkspace({ script: "[]" });
  const configured = async (harnesses: string): Promise<string> => {
    place.write({ ".ralph/config.yaml": `harness: a\nharnesses: { ${harnesses} }\n` });
    return (await type(["run"], { cwd: place.folder })).stderr;
  };
  expect(await configured("a: { kind: acp }")).toContain(
    "Set `run` of the harness to the agent's command, such as: goose acp,",
  );
  expect(await configured("a: { kind: acp, run: no-such-agent acp }")).toContain(
    "The harness a needs the program no-such-agent, which is not on the PATH",
  );
  expect(await configured("a: { kind: acp, bin: ./no-such-agent }")).toContain("no-such-agent is not a program");
  expect(await configured("a: { kind: acp, run: cat, output: text }")).toContain(
    "harnesses.a.output has no effect: only the harness command uses output",
  );
  expect(await configured("claude: { run: cat }, a: { run: cat }")).toContain('Unknown harness "a"');
  expect(await configured("a: { kind: other, run: cat }")).toContain("harnesses.a.kind");
});

test("completion proposes the names of the configuration, too", async () => {
  const place = await loopWorkspace({ script: "[]", harnesses: { cursor: "kind: acp, run: cat" } });
  const { stdout } = await type(["complete", "--", "run", "--harness", "cu"], { cwd: place.folder });
  expect(stdout).toBe("cursor\t\n");
});
