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

test("W-04 what we say cannot steer a terminal; data goes out as it is", () => {
  const { process, written } = host({});
  processIo(process).err("a\u001b[31m\u202e\n");
  processIo(process).out("a\u001b[31m\n");
  expect(written).toEqual(["a\ufffd\n", "a\u001b[31m\n"]);
});
