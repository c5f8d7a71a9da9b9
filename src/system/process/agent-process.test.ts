import { randomUUID } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { AgentEvent, AgentReader } from "../../domain/agent-event.ts";
import { agentEnding } from "../../domain/agent-ending.ts";
import { alive, isRunning, plainReader, printed, startSession } from "../../../test/agent-session.ts";
import { temporaryFolder, write } from "../../../test/temporary-folder.ts";
import { marked } from "./sweep.ts";

const limits = { inactivityMs: 100_000, wallMs: 100_000, graceMs: 100_000, patienceMs: 100_000 };
/** Lets nothing else happen in this process meanwhile. */
function blockUntil(condition: () => boolean): void {
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  for (let tries = 0; tries < 1000 && !condition(); tries += 1) Atomics.wait(nobody, 0, 0, 20);
}
const resultReader = (isResult: (line: string) => boolean): AgentReader => {
  const reader = plainReader();
  return { ...reader, line: (text) => (isResult(text) ? reader.line("RESULT") : []) };
};
const node = (code: string): string => `exec "$NODE" -e ${JSON.stringify(code)}`;

describe("an agent that ends by itself", () => {
  test("is heard to the end, and its result holds", async () => {
    const session = startSession("echo one; echo two >&2; echo RESULT");
    const { durationMs, ...result } = await session.result;
    expect(result).toEqual({
      code: 0,
      signal: null,
      outcome: { kind: "done" },
      swept: [],
      stderr: "two\n",
    });
    expect(durationMs).toBeGreaterThanOrEqual(0);
    expect(session.lines()).toEqual(["one", "RESULT"]);
    expect(session.events.at(-1)).toEqual({ type: "agent.ended", outcome: { kind: "done" } });
    expect(session.transcript().toString()).toBe("one\nRESULT\n");
    expect(readFileSync(join(session.folder, "stderr.txt"), "utf8")).toBe("two\n");
  });

  test("T-41 is recorded also where a person has deleted the folder of its records", async () => {
    const folder = temporaryFolder();
    const files = { transcript: join(folder, "runs/1/transcript.ndjson"), stderr: join(folder, "runs/2/stderr.log") };
    const session = startSession("echo two >&2; echo RESULT", files);
    expect((await session.result).outcome).toEqual({ kind: "done" });
    expect(Object.values(files).map((file) => readFileSync(file, "utf8"))).toEqual(["RESULT\n", "two\n"]);
  });

  test("D-03 gets the prompt on standard input, however large, and then its end", async () => {
    const stdin = `${"prompt ✓ ".repeat(300_000)}end`;
    const session = startSession("", {
      command: { file: "/bin/sh", args: ["-c", "wc -c; echo RESULT"], env: {}, stdin, files: [] },
    });
    expect((await session.result).outcome).toEqual({ kind: "done" });
    expect(session.lines()[0]?.trim()).toBe(String(Buffer.byteLength(stdin)));
  });

  test("may end without reading its input", async () => {
    const stdin = "x".repeat(5_000_000);
    const session = startSession("", { command: { file: "/bin/true", args: [], env: {}, stdin, files: [] } });
    expect(await session.result).toMatchObject({ code: 0, outcome: { kind: "crashed" } });
  });

  test("has no input at all when it is given none", async () => {
    const session = startSession("", {
      command: { file: "/bin/sh", args: ["-c", "readlink /proc/self/fd/0; cat; echo RESULT"], env: {}, files: [] },
    });
    expect((await session.result).outcome).toEqual({ kind: "done" });
  });

  test("P-14 with a bad exit is a crash, whatever it said", async () => {
    const session = startSession("echo RESULT; echo why >&2; exit 3");
    expect(await session.result).toMatchObject({
      code: 3,
      outcome: { kind: "crashed", code: 3, detail: "gave its result, but ended with exit code 3: why" },
    });
  });

  test("P-14 by a signal is a crash", async () => {
    const session = startSession("echo RESULT; kill -SEGV $$");
    expect(await session.result).toMatchObject({
      code: null,
      signal: "SIGSEGV",
      outcome: { kind: "crashed", signal: "SIGSEGV" },
    });
  });

  test("has its files written before, its own read after, and its variables set", async () => {
    const folder = temporaryFolder();
    const [before, after] = [join(folder, "before.txt"), join(folder, "after.txt")];
    const seen: unknown[] = [];
    const reader = plainReader();
    const session = startSession("", {
      command: {
        file: "/bin/sh",
        args: ["-c", 'cat "$BEFORE"; echo; echo told > "$AFTER"; echo RESULT'],
        env: { BEFORE: before, AFTER: after, RALPHCTL_MARKER: "not this" },
        files: [{ path: before, text: "asked" }],
        collect: [after, join(folder, "never.txt")],
      },
      reader: {
        ...reader,
        end: (exit) => {
          seen.push(exit.files);
          return reader.end(exit);
        },
      },
    });
    await session.result;
    expect(session.lines()).toEqual(["asked", "RESULT"]);
    expect(seen).toEqual([{ [after]: "told\n" }]);
  });

  test("W-07 can read a secret file of its own, which nobody else can, and which is gone after it", async () => {
    const path = join(temporaryFolder(), "secret.json");
    const session = startSession("", {
      command: {
        file: "/bin/sh",
        args: ["-c", 'cat "$0"; ls -l "$0" | cut -c 1-10; echo RESULT', path],
        env: {},
        files: [{ path, text: "sk-1\n", isSecret: true }],
      },
    });
    await session.result;
    expect([session.lines(), existsSync(path)]).toEqual([["sk-1", "-rw-------", "RESULT"], false]);
  });
});

test("P-40 a session inside another carries both markers, and is found by each", async () => {
  const outer = randomUUID();
  const env = { PATH: process.env["PATH"], RALPHCTL_MARKER: outer };
  const session = startSession('echo "$RALPHCTL_MARKER"; exec sleep 60', { env });
  await printed(session, `${outer},${session.marker.value}`);
  expect([marked({ ...session.marker, value: outer }), alive(session)].map(({ length }) => length)).toEqual([1, 1]);
  session.kill();
  await session.result;
});

test("P-43 a file that its CLI keeps for itself is read when the reader asks for it", async () => {
  const home = temporaryFolder({ "sessions/2026/x-1.jsonl": "told\n" });
  const seen: unknown[] = [];
  const reader = plainReader();
  const session = startSession("echo RESULT", {
    env: { ...process.env, AGENT_HOME: home },
    reader: {
      ...reader,
      wants: () => ({ variable: "AGENT_HOME", otherwise: ".agent", folder: "sessions", endsWith: "-1.jsonl" }),
      own: (line) => void seen.push(line),
      end: (exit) => {
        seen.push(typeof exit.atMs);
        return reader.end(exit);
      },
    },
  });
  await session.result;
  expect(seen).toEqual(["told", "number"]);
});

test("P-44 a file that its CLI keeps for itself is followed while it runs, if somebody looks", async () => {
  const home = temporaryFolder({ "sessions/x-1.jsonl": "one\n" });
  const seen: string[] = [];
  const comes = (name: string): string => `until [ -e ${home}/${name} ]; do sleep 0.01; done`;
  const session = startSession(`${comes("go")}; echo two >> ${home}/sessions/x-1.jsonl; ${comes("end")}`, {
    env: { ...process.env, AGENT_HOME: home },
    onLook: () => write(home, { [seen.length === 1 ? "go" : "end"]: "" }),
    reader: {
      ...plainReader(),
      wants: () => ({ variable: "AGENT_HOME", otherwise: ".agent", folder: "sessions", endsWith: "-1.jsonl" }),
      own: (line) => void seen.push(line),
    },
  });
  await session.result;
  expect(seen).toEqual(["one", "two"]);
});

describe("output", () => {
  test("half a line at the end is a line", async () => {
    const session = startSession(`printf 'one\\n{"half":'`);
    await session.result;
    expect(session.lines()).toEqual(["one", '{"half":']);
  });

  test("CRLF ends a line too", async () => {
    const session = startSession("printf 'one\\r\\n\\r\\ntwo\\r\\n'");
    await session.result;
    expect(session.lines()).toEqual(["one", "", "two"]);
  });

  test("a character may come in pieces", async () => {
    const session = startSession("printf '\\342'; sleep 0.05; printf '\\202'; sleep 0.05; printf '\\254\\n'");
    await session.result;
    expect(session.lines()).toEqual(["€"]);
  });

  test("what is not UTF-8 is replaced for the reader and kept in the transcript", async () => {
    const session = startSession("printf 'a\\377b\\000c\\n'");
    await session.result;
    expect(session.lines()).toEqual(["a\ufffdb\u0000c"]);
    expect([...session.transcript()]).toEqual([0x61, 0xff, 0x62, 0x00, 0x63, 0x0a]);
  });

  test("a line of 20 MB is told of, whole in the transcript, and the next one is read", async () => {
    const session = startSession(node("process.stdout.write('one\\n'+'x'.repeat(20e6)+'\\nRESULT\\n')"));
    expect((await session.result).outcome).toEqual({ kind: "done" });
    expect(session.events.slice(0, -1)).toEqual([
      { type: "agent.text", text: "one" },
      { type: "agent.long-line", bytes: 20_000_000, file: join(session.folder, "transcript.ndjson"), offset: 4 },
      { type: "agent.text", text: `${"x".repeat(1024)}… [cut: a line of 20000000 bytes]` },
      { type: "agent.text", text: "RESULT" },
    ]);
    expect(session.transcript().length).toBe(20_000_012);
  });

  test("the place of a long line is counted from the beginning of a transcript that was there before", async () => {
    const folder = temporaryFolder();
    write(folder, { "earlier.ndjson": "earlier\n" });
    const transcript = join(folder, "earlier.ndjson");
    const session = startSession("head -c 17000000 /dev/zero; echo; echo RESULT", { transcript });
    await session.result;
    expect(session.events[0]).toEqual({ type: "agent.long-line", bytes: 17_000_000, file: transcript, offset: 8 });
  });

  test("P-14 a result in a line that is too long is none", async () => {
    const session = startSession(node("process.stdout.write('RESULT'+' '.repeat(17e6)+'\\n')"), {
      reader: resultReader((line) => line.trim() === "RESULT"),
    });
    expect(await session.result).toMatchObject({ code: 0, outcome: { kind: "crashed" } });
  });

  test("P-14 a result that is cut off in its middle is none", async () => {
    const session = startSession("printf RESUL", { reader: resultReader((line) => line === "RESULT") });
    expect(await session.result).toMatchObject({
      code: 0,
      outcome: { kind: "crashed", detail: "ended with exit code 0 and no result" },
    });
  });

  test("a line of 100 MB passes through in flat memory", async () => {
    const before = process.memoryUsage().rss;
    let most = 0;
    const session = startSession("head -c 100000000 /dev/zero; echo; echo RESULT", {
      onEvent: () => undefined,
      reader: plainReader(),
    });
    const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
    expect((await session.result).outcome).toEqual({ kind: "done" });
    clearInterval(timer);
    expect(statSync(join(session.folder, "transcript.ndjson")).size).toBe(100_000_008);
    expect(most - before).toBeLessThan(80_000_000);
  });

  test("of standard error the end is kept", async () => {
    const session = startSession("head -c 1000000 /dev/zero | tr '\\0' y >&2; echo last >&2");
    const { stderr } = await session.result;
    expect(stderr.length).toBe(64 * 1024);
    expect(stderr.endsWith("yyylast\n")).toBe(true);
    expect(readFileSync(join(session.folder, "stderr.txt")).length).toBe(1_000_005);
  });

  test("that cannot be recorded stops the agent, and is an error of the disk", async () => {
    const session = startSession("while :; do echo more; done", { transcript: "/dev/full" });
    await expect(session.result).rejects.toMatchObject({ kind: "io", message: "Cannot write /dev/full: ENOSPC" });
    expect(alive(session)).toEqual([]);
  });

  test("that cannot be recorded is no longer read from what got away, nor written into files of others", async () => {
    const late = 'trap "" PIPE; : > up; until test -f go; do sleep 0.02; done; echo late >&2; touch gone';
    const session = startSession(
      `env -i setsid /bin/sh -c '${late}' &
       echo early >&2; until test -s stderr.txt -a -e up; do sleep 0.01; done; while :; do echo more; done`,
      { transcript: "/dev/full" },
    );
    await expect(session.result).rejects.toMatchObject({ kind: "io" });
    // They have the numbers that its files had.
    const paths = ["one", "two", "three"].map((name) => join(session.folder, name));
    const files = paths.map((path) => openSync(path, "a"));
    write(session.folder, { go: "" });
    await vi.waitUntil(() => existsSync(join(session.folder, "gone")), { timeout: 50_000, interval: 5 });
    await new Promise(setImmediate);
    files.forEach(closeSync);
    expect(paths.map((path) => readFileSync(path, "utf8"))).toEqual(["", "", ""]);
  });
});

describe("watchdogs", () => {
  test("P-14 a result without an exit holds after the grace period", async () => {
    const session = startSession("echo RESULT; exec sleep 60", { limits: { ...limits, graceMs: 100 } });
    expect(await session.result).toMatchObject({ stoppedBy: "grace", outcome: { kind: "done" } });
    expect(alive(session)).toEqual([]);
  });

  test("P-14 the grace period starts anew with any output", async () => {
    const session = startSession(
      "echo RESULT; for i in 1 2 3 4 5 6 7 8 9; do sleep 0.2; echo $i >&2; done; exec sleep 60",
      {
        limits: { ...limits, graceMs: 1500 },
      },
    );
    const result = await session.result;
    expect(result).toMatchObject({
      stoppedBy: "grace",
      outcome: { kind: "done" },
      stderr: "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
    });
  });

  const waiting = (): AgentReader => ({ ...plainReader(), hasResult: () => false, isWaiting: () => true });

  test("P-41 an agent that waits for its command in the background has until the time limit", async () => {
    const session = startSession("exec sleep 60", {
      reader: waiting(),
      limits: { inactivityMs: 1, wallMs: 200, graceMs: 1, patienceMs: 100_000 },
    });
    expect(await session.result).toMatchObject({ stoppedBy: "background" });
  });

  test("P-41 if its words need no more, its command in the background is not waited for", async () => {
    const session = startSession("exec sleep 60", {
      reader: waiting(),
      isThrough: () => true,
      limits: { ...limits, graceMs: 100 },
    });
    expect(await session.result).toMatchObject({ stoppedBy: "grace" });
  });

  test("silence ends a session", async () => {
    const session = startSession("echo one; exec sleep 60", { limits: { ...limits, inactivityMs: 100 } });
    expect(await session.result).toMatchObject({
      stoppedBy: "inactivity",
      outcome: { kind: "timed-out", watchdog: "inactivity" },
    });
  });

  test("output that never pauses ends at the longest time", async () => {
    const session = startSession("while :; do echo more; sleep 0.01; done", {
      limits: { ...limits, inactivityMs: 5000, wallMs: 300 },
    });
    expect(await session.result).toMatchObject({ stoppedBy: "wall", outcome: { kind: "timed-out", watchdog: "wall" } });
  });
});

describe("stopping", () => {
  test("P-44 X-77 one whose login is refused again and again is stopped at once, and that is what it came to", async () => {
    const login = { kind: "login", message: "401" } as const;
    let isRefused = false;
    const reader: AgentReader = {
      ...plainReader(),
      line: (text) => {
        isRefused ||= text === "refused";
        return [];
      },
      isRefused: () => isRefused,
      end: (exit) => [{ type: "agent.ended", outcome: agentEnding(isRefused ? login : undefined, exit) }],
    };
    const session = startSession("echo up; echo refused; exec sleep 60", { reader });
    expect(await session.result).toMatchObject({ signal: "SIGINT", stoppedBy: "refused", outcome: login });
    expect(alive(session)).toEqual([]);
  });

  test("P-40 an abort stops the agent by its stop order: the first signal is enough for a good one", async () => {
    const session = startSession("trap 'echo stopped; exit 0' INT; echo up; while :; do sleep 0.02; done", {
      stopOrder: [{ signal: "SIGINT", waitMs: 20_000 }],
    });
    await printed(session, "up");
    session.abort();
    expect(await session.result).toMatchObject({ code: 0, stoppedBy: "abort", outcome: { kind: "aborted" } });
    expect(session.lines()).toEqual(["up", "stopped"]);
  });

  test("P-40 the signal reaches the agent's children in its group", async () => {
    const child = "trap 'echo child stopped; exit 0' INT; echo up; while :; do sleep 0.02; done";
    const session = startSession(`sh -c "${child}"; exit 5`, { stopOrder: [{ signal: "SIGINT", waitMs: 20_000 }] });
    await printed(session, "up");
    session.abort();
    await session.result;
    expect(session.lines()).toEqual(["up", "child stopped"]);
  });

  test("P-40 one that ignores SIGINT and SIGTERM is killed", async () => {
    const session = startSession("trap '' INT TERM; echo up; while :; do sleep 0.02; done");
    await printed(session, "up");
    session.abort();
    expect(await session.result).toMatchObject({ signal: "SIGKILL", stoppedBy: "abort", outcome: { kind: "aborted" } });
    expect(alive(session)).toEqual([]);
  });

  test("P-40 the second request kills at once", async () => {
    const session = startSession("trap '' INT TERM; echo up; while :; do sleep 0.02; done", {
      stopOrder: [{ signal: "SIGINT", waitMs: 600_000 }],
    });
    await printed(session, "up");
    session.abort();
    session.kill();
    expect(await session.result).toMatchObject({ signal: "SIGKILL", stoppedBy: "abort" });
  });

  test("P-40 an abort before the start starts nothing", async () => {
    const aborted = AbortSignal.abort();
    const session = startSession("touch started", { signal: aborted });
    expect(await session.result).toMatchObject({ code: null, stoppedBy: "abort", outcome: { kind: "aborted" } });
    expect(existsSync(join(session.folder, "started"))).toBe(false);
  });

  test("P-14 a result that came before an abort is not believed", async () => {
    const session = startSession("echo RESULT; exec sleep 60");
    await printed(session, "RESULT");
    session.abort();
    expect((await session.result).outcome).toEqual({ kind: "aborted" });
  });
});

describe("what an agent leaves behind", () => {
  // Each tells its number, and is not waited for by the agent.
  const LEFT = {
    "a child in the background": "sleep 60 & echo $! >> pids",
    "a child in a session of its own": "setsid sh -c 'echo $$ >> pids; exec sleep 60' &",
    "a double fork": "(setsid sh -c 'echo $$ >> pids; exec sleep 60' &) &",
    "a child that ignores the hang-up": "nohup sh -c 'echo $$ >> pids; exec sleep 60' >/dev/null 2>&1 &",
    "a child that ignores SIGTERM": `setsid sh -c "trap '' TERM; echo \\$\\$ >> pids; while :; do sleep 0.05; done" &`,
    "a child that holds the pipes": "setsid sh -c 'echo $$ >> pids; exec sleep 60' & ",
  };
  const started = "while [ ! -s pids ]; do sleep 0.01; done; echo RESULT";

  test.each(Object.entries(LEFT))("%s is ended, and that is said before the end of the session", async (_, leave) => {
    const atGone: unknown[] = [];
    const session = startSession(`${leave}\n${started}`, {
      onGone: () =>
        atGone.push(
          alive(session),
          session.events.some(({ type }) => type === "agent.ended"),
        ),
    });
    const result = await session.result;
    expect(atGone.slice(0, 2)).toEqual([[], false]); // on a busy machine it is said twice
    const [pid = 0] = readFileSync(join(session.folder, "pids"), "utf8").split("\n").map(Number);
    expect(result).toMatchObject({ code: 0, outcome: { kind: "done" } });
    expect(result.swept).toContain(pid);
    expect(isRunning(pid)).toBe(false);
    expect(alive(session)).toEqual([]);
  });

  test("a child without the marker that holds the pipes is not waited for", async () => {
    const session = startSession(
      "setsid env -i /bin/sh -c 'echo $$ > pid; exec /bin/sleep 60' & while [ ! -s pid ]; do sleep 0.01; done; echo RESULT",
    );
    expect(await session.result).toMatchObject({ code: 0, outcome: { kind: "done" }, swept: [] });
    process.kill(Number(readFileSync(join(session.folder, "pid"), "utf8")), "SIGKILL");
  });

  test("what lies in the pipes is read before they are closed, also when we had no time to look", async () => {
    // Written after the agent's end, by a process that is not ours to end.
    const late = ": > up; while [ ! -e go ]; do /bin/sleep 0.02; done; echo RESULT; : > written; exec /bin/sleep 60";
    const session = startSession(
      `setsid env -i /bin/sh -c '${late}' & echo $! > pid; until test -e up; do sleep 0.01; done; echo $$`,
    );
    await vi.waitUntil(() => session.lines().length === 1, { timeout: 50_000, interval: 5 });
    blockUntil(() => !isRunning(Number(session.lines()[0])));
    // Now its end is seen, and the time runs within which the pipes may be silent.
    await new Promise(setImmediate);
    write(session.folder, { go: "" });
    const start = performance.now();
    blockUntil(() => existsSync(join(session.folder, "written")) && performance.now() - start > 500);
    expect(await session.result).toMatchObject({ outcome: { kind: "done" }, swept: [] });
    process.kill(Number(readFileSync(join(session.folder, "pid"), "utf8")), "SIGKILL");
  });

  test("a child without the marker in the agent's group is ended with it", async () => {
    const child = "env -i /bin/sh -c 'echo $$ > pid; exec /bin/sleep 60' >/dev/null 2>&1 &";
    const session = startSession(`${child} while [ ! -s pid ]; do sleep 0.01; done; echo RESULT`);
    expect(await session.result).toMatchObject({ swept: [] });
    const pid = Number(readFileSync(join(session.folder, "pid"), "utf8"));
    await vi.waitUntil(() => !isRunning(pid), { timeout: 50_000 });
  });

  test("is left alone when it is to be kept", async () => {
    const session = startSession(
      `setsid sh -c 'echo $$ > pid; exec sleep 60' & while [ ! -s pid ]; do sleep 0.01; done; echo RESULT`,
      {
        keepsProcesses: true,
      },
    );
    expect(await session.result).toMatchObject({ outcome: { kind: "done" }, swept: [] });
    const pid = Number(readFileSync(join(session.folder, "pid"), "utf8"));
    expect(alive(session)).toEqual([pid]);
    process.kill(pid, "SIGKILL");
  });
});

describe("an agent that cannot be started", () => {
  const start = (file: string, args: readonly string[] = []) =>
    startSession("", { command: { file, args, env: {}, files: [] } }).result;

  test("X-69 because program not found", async () => {
    await expect(start("no-such-agent")).rejects.toMatchObject({
      kind: "unavailable",
      message: "Cannot start no-such-agent: program not found",
      hint: "Install it, put it on the PATH, or set `bin` of the harness",
    });
  });

  test("X-69 because it may not be executed", async () => {
    const folder = temporaryFolder();
    write(folder, { agent: "#!/bin/sh\n" });
    await expect(start(join(folder, "agent"))).rejects.toMatchObject({
      kind: "unavailable",
      hint: expect.stringContaining("chmod"),
    });
  });

  test("because an argument is too long", async () => {
    await expect(start("/bin/echo", ["x".repeat(200_000)])).rejects.toMatchObject({
      kind: "data",
      message: "Cannot start /bin/echo: its arguments are too long for this system",
    });
  });

  test("because of a NUL byte", async () => {
    await expect(start("/bin/echo", ["a\0b"])).rejects.toMatchObject({ kind: "data" });
  });

  test("because its folder is gone", async () => {
    const session = startSession("true", { cwd: "/no/such/folder" });
    await expect(session.result).rejects.toMatchObject({
      kind: "io",
      message: "Cannot start /bin/sh: the folder /no/such/folder does not exist",
    });
  });
});

describe("whoever is told of the output and does not keep up", () => {
  test("loses nothing because its own reading took long", async () => {
    // Each line takes three seconds, by a clock that goes on while it is read only.
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const reader = plainReader();
    const slow = (text: string): AgentEvent[] => {
      vi.advanceTimersByTime(3000);
      return [...reader.line(text)];
    };
    const late = ": > up; for i in 1 2 3 4 5; do /bin/sleep 0.3; echo $i; done; echo RESULT";
    const session = startSession(`setsid env -i /bin/sh -c '${late}' & until test -e up; do sleep 0.01; done`, {
      reader: { ...reader, line: slow },
      limits: { inactivityMs: 600_000, wallMs: 600_000, graceMs: 600_000, patienceMs: 100_000 },
    });
    expect((await session.result).outcome).toEqual({ kind: "done" });
    expect(session.lines()).toEqual(["1", "2", "3", "4", "5", "RESULT"]);
  });

  test("and fails ends the session with its error, and leaves nothing running", async () => {
    const session = startSession("echo one; exec sleep 60", {
      caughtUp: () => Promise.reject(new Error("Nobody listens")),
    });
    await expect(session.result).rejects.toThrow("Nobody listens");
    expect([session.lines(), alive(session)]).toEqual([["one"], []]);
  });

  test("holds up the agent, which is not silent meanwhile, and loses nothing of its end", async () => {
    let goOn: (() => void) | undefined;
    let isBehind = true;
    const caughtUp = (): Promise<void> | undefined =>
      isBehind ? new Promise((resolve) => (goOn = resolve)) : undefined;
    const script = "i=0; while [ $i -lt 200000 ]; do echo line $i; i=$((i+1)); done; echo RESULT";
    const session = startSession(script, { caughtUp, limits: { ...limits, inactivityMs: 2000 } });
    await vi.waitUntil(() => goOn !== undefined, { timeout: 50_000 });
    const held = session.lines().length;
    // Longer than it may be silent.
    await new Promise((resolve) => setTimeout(resolve, 2200));
    expect([session.lines().length, held < 100_000]).toEqual([held, true]);
    isBehind = false;
    goOn!();
    expect((await session.result).outcome).toEqual({ kind: "done" });
    expect(session.lines().length).toBe(200_001);
  });

  test("is not waited for when the run is stopped", async () => {
    const stop = new AbortController();
    const session = startSession("echo one; sleep 60", {
      caughtUp: () => new Promise<void>(() => undefined),
      signal: stop.signal,
    });
    await vi.waitUntil(() => session.lines().length > 0, { timeout: 50_000 });
    stop.abort();
    expect((await session.result).outcome).toEqual({ kind: "aborted" });
  });
});
