import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { isRunning } from "../../../test/agent-session.ts";
import { startTimeOf } from "./process-identity.ts";
import { lastScan, marked, markedByPs, readStarts, signalAll, sweep, whyNoEnviron } from "./sweep.ts";

const newMarker = () => ({ name: "RALPHCTL_MARKER", value: randomUUID() });

/** Resolves once the program runs: before that its environment is still ours. */
async function start(value: string, script = "exec sleep 60"): Promise<number> {
  const env = { PATH: process.env["PATH"], RALPHCTL_MARKER: value };
  const child = spawn("/bin/sh", ["-c", `echo up; ${script}`], {
    env,
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.stdout.destroy();
  return child.pid!;
}

describe("sweep", () => {
  test("ends what carries the marker, and nothing else", async () => {
    const marker = newMarker();
    const others = [await start(`${marker.value}0`), await start(`0${marker.value}`)];
    const ours = [await start(marker.value), await start(marker.value)];
    expect(await sweep(marker)).toEqual([...ours].sort((a, b) => a - b));
    expect([...ours, ...others].map(isRunning)).toEqual([false, false, true, true]);
    for (const pid of others) process.kill(pid, "SIGKILL");
  });

  test("finds nothing where there is nothing", async () => {
    expect(await sweep(newMarker())).toEqual([]);
  });

  test.runIf(process.platform === "linux")("does not ask those who were there before the marker was", async () => {
    const marker = newMarker();
    const before = await start(marker.value);
    expect(marked(newMarker())).toEqual([]);
    const look = lastScan();
    const since = await start(marker.value);
    expect([look.has(String(before)), look.has(String(since))]).toEqual([true, false]);
    expect(await sweep(marker, look)).toEqual([since]);
    expect(await sweep(marker, new Map([...look].map(([pid, folder]) => [pid, folder + 1])))).toEqual([before]);
  });

  test
    .runIf(process.platform === "linux")
    .each(["setsid sleep 60 & exit", "(sleep 60 & exit) & exit", "((sleep 60 & exit) & exit) & exit"])(
    "P-40 finds what was just started by somebody who has ended since: %s",
    async (script) => {
      for (let round = 0; round < 40; round += 1) {
        const marker = newMarker();
        const look = lastScan();
        const child = spawn("/bin/sh", ["-c", script], {
          env: { PATH: process.env["PATH"], RALPHCTL_MARKER: marker.value },
          detached: true,
          stdio: "ignore",
        });
        await once(child, "exit");
        expect(await sweep(marker, look)).not.toEqual([]);
      }
    },
    60_000,
  );

  test("asks politely first", async () => {
    const marker = newMarker();
    const child = spawn("/bin/sh", ["-c", "trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.01; done"], {
      env: { PATH: process.env["PATH"], RALPHCTL_MARKER: marker.value },
    });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    const code = new Promise((resolve) => child.once("exit", resolve));
    await sweep(marker);
    expect(await code).toBe(7);
  });

  test("ends one that starts others all the time", async () => {
    const marker = newMarker();
    await start(marker.value, "trap '' TERM; for i in $(seq 100); do sleep 30 & sleep 0.02; done");
    expect((await sweep(marker)).length).toBeGreaterThan(1);
    expect(marked(marker)).toEqual([]);
  });

  test("P-40 does not touch a process that has the number of one that was found", async () => {
    const marker = newMarker();
    const pid = await start(marker.value);
    signalAll([{ pid, start: "another time" }], "SIGKILL");
    expect(isRunning(pid)).toBe(true);
    signalAll([{ pid, start: startTimeOf(pid)! }], "SIGKILL");
    await vi.waitUntil(() => !isRunning(pid), { timeout: 50_000 });
  });

  test("P-40 finds what carries the marker among others, and nothing that only looks like it", async () => {
    const marker = newMarker();
    const { value } = marker;
    const inner = await start(`outer,${value},inner`);
    const others = [await start(`outer,${value}0`), await start(`${value}.1`)];
    expect(marked(marker)).toEqual([inner]);
    for (const pid of [inner, ...others]) process.kill(pid, "SIGKILL");
  });

  test("never finds the process that looks", () => {
    expect(marked({ name: "PATH", value: process.env["PATH"]! })).not.toContain(process.pid);
  });
});

test("the list of macOS: number, state and command with its environment", () => {
  const list = [
    "  101 S    Mon Nov 16 04:59:18 2026     /bin/sleep 60 PATH=/bin RALPHCTL_MARKER=abc",
    "  102 Ss+  Mon Nov  6 04:59:18 2026     node agent.js RALPHCTL_MARKER=x,abc,y HOME=/Users/x",
    "  103 S    Mon Nov 16 04:59:18 2026     node agent.js RALPHCTL_MARKER=abcd,ab",
    "  104 Z    Mon Nov 16 04:59:18 2026     (sleep) RALPHCTL_MARKER=abc",
    "  105 S    Mon Nov 16 04:59:18 2026     /bin/sh XRALPHCTL_MARKER=abc",
    "nonsense",
    "",
  ].join("\n");
  expect(markedByPs(list, { name: "RALPHCTL_MARKER", value: "abc" })).toEqual([
    { pid: 101, start: "Mon Nov 16 04:59:18 2026" },
    { pid: 102, start: "Mon Nov  6 04:59:18 2026" },
  ]);
});

test("the list of macOS: numbers, and when each began", () => {
  const list = "  101 Mon Nov 16 04:59:18 2026    \n 1024 Mon Nov  6 04:59:18 2026    \n";
  expect([...readStarts(list)]).toEqual([
    [101, "Mon Nov 16 04:59:18 2026"],
    [1024, "Mon Nov  6 04:59:18 2026"],
  ]);
});

describe("a process that shows no environment", () => {
  /** As Linux writes it: the name first, the state after it, and so on. */
  const stat = (fields: Readonly<Record<number, string>>): string =>
    ["7", "(a) R 1 ()", ...Array.from({ length: 50 }, (_, index) => fields[index + 3] ?? "1")].join(" ");

  test.each([
    [{ 3: "S", 50: "4096", 51: "4096" }, "none"],
    [{ 3: "R", 50: "0", 51: "0" }, "between"],
    [{ 3: "R", 50: "4096", 51: "8192" }, "between"],
    [{ 3: "Z", 23: "0", 50: "0", 51: "0" }, "gone"],
    [{ 3: "S", 23: "0", 50: "0", 51: "0" }, "gone"],
    [{ 3: "S", 9: "2129984", 23: "0", 50: "0", 51: "0" }, "none"],
  ])("%j: %s", (fields, why) => {
    expect(whyNoEnviron(stat(fields))).toBe(why);
  });

  test.runIf(process.platform === "linux")("is not one that has one", () => {
    expect(whyNoEnviron(readFileSync("/proc/self/stat", "latin1"))).toBe("between");
  });
});
