import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { processIo } from "./process-io.ts";

/** As much of a process as we look at. */
function host(env: Record<string, string>, isTTY = true): { process: NodeJS.Process; written: string[] } {
  const written: string[] = [];
  const stream = Object.assign(new EventEmitter(), { isTTY, write: (text: string) => written.push(text) > 0 });
  return { process: { env, stdin: stream, stdout: stream, stderr: stream, cwd: () => "/" } as never, written };
}

test("somebody is asked only at a terminal, and never in CI", () => {
  expect(processIo(host({}).process).isInteractive).toBe(true);
  expect(processIo(host({ CI: "true" }).process).isInteractive).toBe(false);
  expect(processIo(host({}, false).process).isInteractive).toBe(false);
});

test.each([
  ["a terminal", true, "a\ufffd\n"],
  ["a file or a pipe", false, "a\u001b[31m\u202e\n"],
])("W-04 what we say cannot steer a terminal; data goes to %s as it may be", (_where, isTTY, data) => {
  const { process, written } = host({}, isTTY);
  processIo(process).err("a\u001b[31m\u202e\n");
  processIo(process).out("a\u001b[31m\u202e\n");
  expect(written).toEqual(["a\ufffd\n", data]);
});

test("P-40 who waits for a reader that has gone is not kept waiting, and is told to stop", async () => {
  const stdout = Object.assign(new EventEmitter(), { writableNeedDrain: true });
  const stderr = new EventEmitter();
  const signals = new EventEmitter();
  const io = processIo(Object.assign(signals, { env: {}, stdout, stderr }) as never);
  const { stop, kill } = io.interrupts();
  const waited = io.drained();
  stdout.emit("error", Object.assign(new Error("gone"), { code: "EPIPE" }));
  await waited;
  expect({ stop: stop.aborted, kill: kill.aborted }).toEqual({ stop: true, kill: false });
  Object.assign(stdout, { errored: new Error("gone") });
  await io.drained();
});
