import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import type { GateCheck } from "../domain/gate.ts";
import { runGate } from "./gate.ts";

async function run(check: GateCheck, more: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {}) {
  const folder = temporaryFolder();
  const gate = {
    id: "own",
    kind: "command",
    run: "the function own",
    retries: 0,
    timeoutMs: more.timeoutMs ?? 5000,
  } as const;
  const { passed, runs } = await runGate(
    { ...gate, check },
    {
      folder,
      env: { RALPHCTL_TASK: "t-1" },
      marker: { name: "RALPHCTL_MARKER", value: "never used" },
      outputFolder: join(folder, "gates"),
      signal: more.signal ?? new AbortController().signal,
    },
  );
  const [{ end, output }] = runs as [(typeof runs)[0]];
  return { passed, end, output: readFileSync(output.file, "utf8") };
}

describe("a gate that is a function", () => {
  test("passes with true, and fails with its words for the next attempt", async () => {
    const exit = (code: number) => ({ kind: "exit", code });
    expect(await run(() => true)).toEqual({ passed: true, end: exit(0), output: "" });
    expect(await run(async () => ({ passed: false, output: "No" }))).toEqual({
      passed: false,
      end: exit(1),
      output: "No",
    });
    expect(await run(({ env }) => ({ passed: env["RALPHCTL_TASK"] === "t-1" }))).toEqual({
      passed: true,
      end: exit(0),
      output: "",
    });
  });

  test.each([undefined, null, 1, "yes", {}, { passed: "true" }])(
    "P-15 %j is no proof, and its words say so",
    async (answer) => {
      const { passed, output } = await run(() => answer as never);
      const told = `The check returned ${JSON.stringify(answer)} instead of true, false or { passed, output }`;
      expect([passed, output]).toEqual([false, told]);
    },
  );

  test("fails by what it throws", async () => {
    const thrown = await run(() => {
      throw new Error("Cannot look");
    });
    expect([thrown.passed, thrown.end, thrown.output.split("\n")[0]]).toEqual([
      false,
      { kind: "exit", code: 1 },
      "Error: Cannot look",
    ]);
    expect((await run(() => Promise.reject("words"))).output).toBe("words");
  });

  test("is waited for no longer than its time, and is told so", async () => {
    let toldSo: () => void;
    const told = new Promise<void>((resolve) => (toldSo = resolve));
    const never: GateCheck = ({ signal }) => {
      signal.addEventListener("abort", () => toldSo());
      return new Promise(() => undefined);
    };
    const end = { kind: "timeout", afterMs: 20 };
    expect(await run(never, { timeoutMs: 20 })).toEqual({ passed: false, end, output: "" });
    await told;
  });

  test("a run that is told to stop waits for none", async () => {
    const stop = new AbortController();
    const stopped = { passed: false, end: { kind: "stopped" }, output: "" };
    const check: GateCheck = () => {
      stop.abort();
      return new Promise(() => undefined);
    };
    expect(await run(check, { signal: stop.signal })).toEqual(stopped);
    expect(await run(() => true, { signal: stop.signal })).toEqual(stopped);
  });
});
