import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { buildWorker, type Started, startProcess } from "../../../test/control-process.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { hasTerminals, startAtTerminal } from "../../../test/terminal.ts";
import { marked } from "./sweep.ts";

const worker = await buildWorker();

interface Attended extends Started {
  readonly value: string;
}

/** Hands over pipes to a shell script. */
function attend(script: string): Attended {
  const value = randomUUID();
  return { value, ...startProcess(process.execPath, [worker, "attended", value, "/bin/sh", "-c", script]) };
}

/** Hands over a terminal, in which somebody types. */
function attendAtTerminal(script: string): Attended {
  const value = randomUUID();
  return { value, ...startAtTerminal([process.execPath, worker, "attended", value, "/bin/sh", "-c", script]) };
}

const resultOf = (started: Started): unknown => JSON.parse(/^result (.*?)\r?$/m.exec(started.output())![1]!);
const WELL = { code: 0, signal: null, swept: 0, isTimed: true, during: 0 };

test("step: the agent has our streams, and its exit code comes back", async () => {
  const started = attend('read line; echo "heard $line"; echo "aside" >&2; exit 7');
  started.child.stdin.write("hello\n");
  await started.ended;
  expect(started.output()).toContain("heard hello\n");
  expect(started.output()).toContain("aside\n");
  expect(resultOf(started)).toEqual({ ...WELL, code: 7 });
});

test.runIf(hasTerminals)("step: the agent has the terminal, in our own process group", async () => {
  const group = "$(ps -o pgid= -p $$) = $(ps -o pgid= -p $PPID)";
  const started = attendAtTerminal(`test -t 0 && test -t 1 && test -t 2 && test ${group} && echo at home; exit 3`);
  await started.says("at home");
  await started.ended;
  expect(resultOf(started)).toEqual({ ...WELL, code: 3 });
});

test.runIf(hasTerminals)("step: Ctrl-C and Ctrl-\\ are the agent's, and afterwards ours again", async () => {
  const script = "trap 'echo INT heard' INT; trap 'echo QUIT heard' QUIT; echo up; for i in 1 2 3 4; do read x; done";
  const started = attendAtTerminal(script);
  await started.says("up");
  started.child.stdin.write("\u0003");
  await started.says("INT heard");
  started.child.stdin.write("\u001c");
  await started.says("QUIT heard");
  started.child.stdin.write("1\n2\n3\n4\n");
  await started.ended;
  expect(resultOf(started)).toEqual(WELL);
});

test.each(["SIGTERM", "SIGHUP"] as const)("P-40 step: %s is passed on to the agent", async (signal) => {
  const name = signal.slice(3);
  const started = attend(`trap 'echo ${name} heard; exit 5' ${name}; echo up; while :; do sleep 0.01; done`);
  await started.says("up");
  started.child.kill(signal);
  await started.ended;
  expect(started.output()).toContain(`${name} heard`);
  expect(resultOf(started)).toEqual({ ...WELL, code: 5, stoppedBy: signal });
});

test("step: an agent that dies of a signal is told as such", async () => {
  const started = attend("kill -KILL $$");
  await started.ended;
  expect(resultOf(started)).toEqual({ ...WELL, code: null, signal: "SIGKILL" });
});

test("step: what the agent leaves running is ended", async () => {
  const started = attend("setsid sleep 60 >/dev/null 2>&1 & sleep 60 >/dev/null 2>&1 & exit 0");
  await started.ended;
  expect(resultOf(started)).toEqual({ ...WELL, swept: 2 });
  expect(marked({ name: "RALPHCTL_MARKER", value: started.value })).toEqual([]);
});

test("P-40 step: with processes.keep what the agent leaves running is left alone", async () => {
  const value = randomUUID();
  const words = ["/bin/sh", "-c", "setsid sleep 60 >/dev/null 2>&1 & exit 0"];
  const started = startProcess(process.execPath, [worker, "attended-keeping", value, ...words]);
  await started.ended;
  const left = marked({ name: "RALPHCTL_MARKER", value });
  for (const pid of left) process.kill(pid, "SIGKILL");
  expect([resultOf(started), left.length]).toEqual([WELL, 1]);
});

test("X-69 step: an agent that is not there cannot be started", async () => {
  const file = `${temporaryFolder()}/no such agent`;
  const started = startProcess(process.execPath, [worker, "attended", randomUUID(), file]);
  await started.ended;
  expect(started.output()).toBe(`unavailable Cannot start ${file}: program not found\n`);
});
