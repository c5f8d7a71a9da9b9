import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test, vi } from "vitest";
import { isAlive } from "../guarded-run.ts";
import { startLive } from "../live-run.ts";
import { temporaryFolder } from "../temporary-folder.ts";
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

test("P-40 a second signal ends the agent also where processes are kept", async () => {
  const file = join(temporaryFolder(), "pid");
  const config = "gates: [{ id: test, run: test -f done.txt }]\nprocesses: { keep: true }\n";
  const place = await workspace("acp", { acp: run(`stubborn ${file}`) }, config);
  const live = startLive(place.folder);
  await vi.waitUntil(() => existsSync(file) && readFileSync(file, "utf8") !== "", { timeout: 50_000 });
  const pid = Number(readFileSync(file, "utf8"));
  live.signal("SIGINT");
  // A second one that comes at once is an echo of the first.
  await new Promise((resolve) => setTimeout(resolve, 200));
  live.signal("SIGTERM");
  await live.ended;
  await vi.waitUntil(() => !isAlive(pid), { timeout: 50_000 });
});

test("P-42 P-44 X-4 a budget of tokens binds an agent that tells of none", async () => {
  const config = "gates: [{ id: test, run: test -f done.txt }]\nlimits: { tokens: 60000 }\n";
  const place = await workspace("acp", { acp: run("spends") }, config);
  const done = await place.run();
  expect([done.code, done.outcomes, done.finished?.limit]).toEqual([4, ["stopped"], "tokens"]);
});

test("X-69 a shell's own words are no program, and a path is one of the workspace", async () => {
  const agent = `node ${resolve("test/acp-agent.mjs")} honest`;
  const start = { shell: `run: "exec ${agent}"`, moves: `run: "cd . && ${agent}"`, own: "run: ./bin/agent" };
  for (const harness of Object.values(start)) {
    const place = await loopWorkspace({
      script: "[]",
      harness: "acp",
      harnesses: { acp: harness },
      isBuilt: true,
      files: { "bin/agent": `#!/bin/sh\nexec ${agent}\n`, "sub/file": "" },
    });
    chmodSync(join(place.folder, "bin/agent"), 0o755);
    place.git("commit", "--all", "--message", "Make it a program");
    const done = await type(["run"], { cwd: join(place.folder, "sub") });
    expect([harness, done.code, done.stderr]).toEqual([harness, 0, expect.any(String)]);
  }
});

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
