import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { isAlive, parseStat, processIdentity, signalOwner, startTimeOf } from "./process-identity.ts";

test("W-07 this process lives, and a later one with its number is not it", () => {
  const me = processIdentity();
  expect(isAlive(me)).toBe(true);
  expect(isAlive({ ...me, startTime: "0" })).toBe(false);
  expect(isAlive({ ...me, host: `${me.host}-other` })).toBe(undefined);
});

test("W-07 a process that ended is dead", async () => {
  const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 30_000)"]);
  const owner = { ...processIdentity(), pid: child.pid!, startTime: startTimeOf(child.pid!)! };
  expect(isAlive(owner)).toBe(true);
  const ended = new Promise((done) => child.on("close", done));
  child.kill("SIGKILL");
  await ended;
  expect(isAlive(owner)).toBe(false);
});

test("P-40 a signal reaches a process, and never another that has its number by now", async () => {
  const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 30_000)"]);
  const owner = { ...processIdentity(), pid: child.pid!, startTime: startTimeOf(child.pid!)! };
  const ended = new Promise((done) => child.on("close", (_, signal) => done(signal)));
  expect(signalOwner({ ...owner, startTime: "0" }, "SIGKILL")).toBe("gone");
  expect(signalOwner({ ...owner, host: "elsewhere" }, "SIGKILL")).toBe("gone");
  expect(signalOwner(owner, "SIGTERM")).toBe("sent");
  expect(await ended).toBe("SIGTERM");
  expect(signalOwner(owner, "SIGTERM")).toBe("gone");
});

test("the name of a process may hold spaces and brackets; a zombie is dead", () => {
  const rest = Array.from({ length: 30 }, (_, n) => String(n + 4)).join(" ");
  expect(parseStat(`12 (a) R 1 (b) S ${rest}`)).toBe("22");
  expect(parseStat(`12 (a) Z ${rest}`)).toBe(undefined);
});
