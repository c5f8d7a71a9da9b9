import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRunning } from "../../../test/agent-session.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { type Answer, programAnswer } from "./program-answer.ts";

const ask = async (script: string, timeoutMs = 20_000): Promise<Answer | undefined> =>
  await programAnswer({
    file: "/bin/sh",
    args: ["-c", script],
    cwd: temporaryFolder(),
    env: { PATH: process.env["PATH"] },
    timeoutMs,
  });

test("a program answers with what it prints", async () => {
  expect(await ask("echo 1.2.3; echo no >&2")).toEqual({ output: "1.2.3\n", errors: "no\n" });
});

test("one that fails, takes too long or is not there has no answer", async () => {
  expect(await ask("echo 1.2.3; exit 1")).toBeUndefined();
  expect(await ask("echo 1.2.3; sleep 60 & wait", 100)).toBeUndefined();
  const nowhere = { file: "/no/such/program", args: [], cwd: "/", env: {}, timeoutMs: 1000 };
  expect(await programAnswer(nowhere)).toBeUndefined();
});

test("what it leaves running does not hold the answer up, and is ended", async () => {
  const answer = await ask("sleep 600 & echo $!");
  const pid = Number(answer?.output);
  expect(pid).toBeGreaterThan(1);
  await expect.poll(() => isRunning(pid), { timeout: 50_000 }).toBe(false);
});

test("of an answer without end only the beginning is kept", async () => {
  expect((await ask("yes | head -c 300000"))?.output.length).toBe(64 * 1024);
});

test("B-02 a relative or empty entry of the PATH finds no program in the folder that is looked at", async () => {
  const cwd = temporaryFolder({ "own-tool": "#!/bin/sh\necho started\n", "bin/own-tool": "#!/bin/sh\necho started\n" });
  for (const path of ["own-tool", "bin/own-tool"]) chmodSync(join(cwd, path), 0o755);
  const answerBy = async (PATH: string) =>
    await programAnswer({ file: "own-tool", args: [], cwd, env: { PATH }, timeoutMs: 20_000 });
  for (const entry of [".", "", "bin", "./bin"]) {
    expect([entry, await answerBy(`${entry}:${process.env["PATH"]!}`)]).toEqual([entry, undefined]);
  }
  expect(await answerBy(`${cwd}/bin:${process.env["PATH"]!}`)).toEqual({ output: "started\n", errors: "" });
});
