import { expect, test } from "vitest";
import { scriptedAgent, startTestRun } from "../../test/running.ts";
import { temporaryFolder, temporaryRepository } from "../../test/temporary-folder.ts";
import type { Harness } from "../harness/harness.ts";
import { checkRepository } from "../system/git/unfinished-operation.ts";
import { workSession } from "./session.ts";
import type { SessionEnd } from "./session.ts";

/** A session with a person at it. */
async function attend(attended: Harness["attended"]): Promise<SessionEnd> {
  const cwd = temporaryRepository({ "README.md": "" });
  const repository = await checkRepository({ folder: cwd, env: { PATH: process.env["PATH"] } });
  const { lane } = await startTestRun(repository, {
    attend: { isDone: async () => true, mayChange: async () => false },
  });
  const { attended: _, ...alone } = scriptedAgent("- - say: Nothing.").harness;
  const harness: Harness = attended === undefined ? alone : { ...alone, attended };
  return await workSession(lane.deps, {
    agent: { ...scriptedAgent("- - say: Nothing."), harness },
    model: undefined,
    prompt: { system: "", text: "Do it." },
    cwd,
    folder: temporaryFolder(),
    env: {},
    name: "1",
    onEvent: () => undefined,
  });
}

test("X-78 step: a harness without an interface for a person is refused", async () => {
  await expect(attend(undefined)).rejects.toMatchObject({
    kind: "config",
    message: "The harness scripted has no interactive mode",
    hint: "Choose another with --harness, or let it work alone: ralphctl run",
  });
});

test.each([
  ["exit 0", { kind: "done" }],
  // Ctrl-C is how people leave a program.
  ["exit 130", { kind: "done" }],
  ["kill -INT $$", { kind: "done" }],
  ["exit 3", { kind: "crashed", code: 3, signal: null, detail: "ended with exit code 3 and no result" }],
])("P-14 step: an agent that ends with %s", async (script, outcome) => {
  const session = await attend(() => ({ file: "/bin/sh", args: ["-c", script], env: {}, files: [] }));
  expect([session.outcome, session.message]).toEqual([outcome, ""]);
});
