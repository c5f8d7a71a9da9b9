import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, realpathSync, renameSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { openAgentStarter } from "./agent-starter.ts";
import type { AgentChild, AgentCommand } from "./spawn-agent.ts";
import { marked } from "./sweep.ts";
import { byLane } from "../../../test/lane.ts";

type Env = Readonly<Record<string, string | undefined>>;
type Asked = Partial<AgentCommand> & { readonly env?: Env };

/** A starter that has a shell waiting. */
async function warmStarter(usual: Env = {}, cwd = temporaryFolder()) {
  const marker = { name: "RALPHCTL_MARKER", value: randomUUID() };
  const env = { PATH: process.env["PATH"]!, KEPT: "as it is", [marker.name]: marker.value, ...usual };
  const starter = openAgentStarter({ cwd, env });
  onTestFinished(starter.close);
  const start = async ({ env: own, ...command }: Asked): Promise<AgentChild> =>
    await starter.start(
      { file: "/bin/sh", args: [], env: {}, files: [], ...command },
      { cwd, env: { ...env, ...own } },
    );
  const waiting = (): number[] => marked(marker).filter((pid) => argumentsOf(pid).includes("ralphctl-next"));
  const isWaiting = async (): Promise<number> => {
    starter.prepare();
    await vi.waitFor(() => expect(waiting()).toHaveLength(1), { timeout: 50_000 });
    return waiting()[0]!;
  };
  await isWaiting();
  return { start, isWaiting, marker, close: starter.close };
}

const argumentsOf = (pid: number): string[] => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");

/** All that it printed, and how it ended. */
async function said(agent: AgentChild) {
  const [out, err, [code, signal]] = await Promise.all([text(agent.stdout), text(agent.stderr), once(agent, "exit")]);
  return { out, err, code: code as number | null, signal: signal as string | null };
}

const linux = test.runIf(process.platform === "linux");

/** Prints what it was given. */
const MIRROR = `process.stdin.setEncoding("utf8");
let input = "";
process.stdin.on("data", (chunk) => (input += chunk)).on("end", () => {
  const { _, SHLVL, ...env } = process.env;
  console.log(JSON.stringify({ args: process.argv.slice(1), env, input, cwd: process.cwd() }));
});`;

linux("P-40 a shell that waits becomes the next agent, at the head of a session of its own", async () => {
  const { start, isWaiting } = await warmStarter();
  const pid = await isWaiting();
  const agent = await start({ args: ["-c", "cat; ps -o pgid=,sid= -p $$; echo no >&2; exit 7"], stdin: "one\ntwo\n" });
  const { out, ...rest } = await said(agent);
  expect([agent.pid, rest]).toEqual([pid, { err: "no\n", code: 7, signal: null }]);
  expect(out.split(/\s+/).filter(Boolean)).toEqual(["one", "two", String(pid), String(pid)]);
  expect(await isWaiting()).not.toBe(pid);
});

linux("an agent that a signal ended is one that a signal ended", async () => {
  const { start } = await warmStarter();
  expect(await said(await start({ args: ["-c", "kill -9 $$"] }))).toMatchObject({ code: null, signal: "SIGKILL" });
});

linux("one without input has none", async () => {
  const { start } = await warmStarter();
  expect((await said(await start({ args: ["-c", "readlink /proc/self/fd/0"] }))).out).toBe("/dev/null\n");
});

linux("a large input comes whole, and nothing of the first line is in it", async () => {
  const { start } = await warmStarter();
  const stdin = "prompt ✓\n".repeat(100_000);
  const { out } = await said(await start({ args: ["-c", "read -r first; echo $first; wc -c"], stdin }));
  expect(out).toBe(`prompt ✓\n${Buffer.byteLength(stdin) - Buffer.byteLength("prompt ✓\n")}\n`);
});

/** Words of any kind: blanks, quotes, line ends, what a shell would take for something else, what is no ASCII. */
const word = fc.oneof(
  fc.string({ unit: fc.constantFrom(...Array.from("ab \n\t'\"\\$`;&|<>(){}*?#~=%!-")), maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 8 }).filter((one) => !one.includes("\0")),
);
const name = fc.constantFrom(..."A RALPHCTL_TASK KEPT with.dot IFS UID PATH_2 _x n line PWD OLDPWD PS1".split(" "));

linux("whatever it is given, an agent is given the same by a shell that waited", async () => {
  const warm = await warmStarter();
  const cold = async (asked: Asked): Promise<AgentChild> => {
    const env = { PATH: process.env["PATH"]!, KEPT: "as it is", [warm.marker.name]: warm.marker.value, ...asked.env };
    const { env: _, ...command } = asked;
    const none = openAgentStarter({ cwd: "/", env: {} });
    onTestFinished(none.close);
    return await none.start({ file: "/bin/sh", args: [], env: {}, files: [], ...command }, { cwd: "/tmp", env });
  };
  const given = fc.record({
    args: fc.array(word, { maxLength: 4 }),
    env: fc.dictionary(name, fc.option(word, { nil: undefined })),
    stdin: fc.option(word, { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(given, async ({ args, env, stdin }) => {
      await warm.isWaiting();
      const asked = {
        file: process.execPath,
        args: ["-e", MIRROR, "--", ...args],
        env,
        ...(stdin !== undefined && { stdin }),
      };
      const [first, second] = await Promise.all([said(await warm.start(asked)), said(await cold(asked))]);
      const without = (out: string) => ({ ...(JSON.parse(out) as object), cwd: "" });
      expect([without(first.out), first.code]).toEqual([without(second.out), second.code]);
    }),
    { numRuns: byLane(10, 40) },
  );
});

const ODD = { n: "1", line: "2", PWD: "/usr", OLDPWD: "/no/such/folder", PS1: "$ ", PS4: "", RANDOM: "7" };

linux("what a shell would use or set itself comes to the agent as it was", async () => {
  const { start } = await warmStarter(ODD);
  const { out } = await said(await start({ file: process.execPath, args: ["-e", MIRROR, "--", "a\nb"] }));
  expect(JSON.parse(out)).toMatchObject({ args: ["a\nb"], env: ODD });
});

linux("a program is found wherever the PATH leads, also where shells would read it differently", async () => {
  const folder = temporaryFolder({ "a%func/agent": "#!/bin/sh\necho here\n" });
  chmodSync(join(folder, "a%func/agent"), 0o755);
  const { start } = await warmStarter({ PATH: `${join(folder, "a%func")}:${process.env["PATH"]}` });
  expect((await said(await start({ file: "agent" }))).out).toBe("here\n");
});

linux("an agent starts in the folder that has the name now, not in one that had it", async () => {
  const folder = join(temporaryFolder({ "root/before": "" }), "root");
  const { start } = await warmStarter({}, folder);
  renameSync(folder, `${folder}-before`);
  mkdirSync(folder);
  expect((await said(await start({ args: ["-c", "ls; pwd -P"] }))).out).toBe(`${realpathSync(folder)}\n`);
});

linux.each([
  ["a folder", (folder: string) => ({ cwd: join(folder, "file"), env: {} })],
  ["an environment", (folder: string) => ({ cwd: folder, env: { A: "a\0b" } })],
])("a shell that cannot be started for want of %s disturbs nobody", async (_, place) => {
  const { prepare, close } = openAgentStarter(place(temporaryFolder({ file: "" })));
  prepare();
  await new Promise(setImmediate);
  await close();
});

linux("what cannot be started says why, as ever", async () => {
  const folder = temporaryFolder({ "no-program": "echo me\n" });
  const { start } = await warmStarter({}, folder);
  await expect(start({ file: "no-such-program" })).rejects.toThrow("Cannot start no-such-program: program not found");
  await expect(start({ file: "./no-program" })).rejects.toThrow("permission denied");
});

linux("when the shell that waits is ended by somebody, the next agent starts all the same", async () => {
  const { start, isWaiting } = await warmStarter();
  const pid = await isWaiting();
  process.kill(pid, "SIGKILL");
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), { timeout: 50_000 });
  expect((await said(await start({ args: ["-c", "echo here"] }))).out).toBe("here\n");
});

linux("P-40 nothing waits once it is closed", async () => {
  const { close, marker } = await warmStarter();
  await close();
  expect(marked(marker)).toEqual([]);
});
