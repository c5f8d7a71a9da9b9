import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { callDoor, type DoorEnds } from "./call-door.ts";
import { type DoorHead, frame } from "./frames.ts";
import { type AnswerCall, type Door, openDoor } from "./open-door.ts";

const HEAD: DoorHead = { argv: ["task", "add", "größer\n'"], env: { RALPHCTL_TASK: "t" }, cwd: "/somewhere" };

async function opened(answer: AnswerCall, limits?: { readonly headMs: number }): Promise<Door> {
  const door = await openDoor(answer, limits);
  onTestFinished(async () => await door.close());
  return door;
}

async function* noInput(): AsyncGenerator<Uint8Array> {}

/** Calls as the program does, and returns what it printed. */
async function call({ path }: Pick<Door, "path">, input: DoorEnds["input"] = noInput) {
  let out = "";
  let err = "";
  const ends = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const code = await callDoor(path, HEAD, { ...ends, drained: () => undefined, input });
  return { code, out, err };
}

const textOf = async (input: AsyncIterable<Uint8Array>): Promise<string> => {
  const parts: Uint8Array[] = [];
  for await (const part of input) parts.push(part);
  return Buffer.concat(parts).toString();
};

const closed = (socket: Socket): Promise<unknown> =>
  new Promise((resolve) => socket.on("error", resolve).on("close", resolve).resume());

/** A promise, and the function that fulfils it. */
function latch(): { readonly passed: Promise<void>; readonly pass: () => void } {
  let pass: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (pass = resolve));
  return { passed, pass };
}

const ENDED = {
  kind: "unavailable",
  message: "The run that this session belongs to has ended",
  hint: "End this session: the next ralphctl run starts another",
};

describe("a command through a door", () => {
  test("L-07 arrives as it was typed, and its output and exit code come back", async () => {
    const got: unknown[] = [];
    const door = await opened(async ({ argv, env, cwd, out, err }) => {
      got.push({ argv, env, cwd });
      out("one ");
      err("warning: ü\n");
      out("two\n");
      return 3;
    });
    expect(await call(door)).toEqual({ code: 3, out: "one two\n", err: "warning: ü\n" });
    expect(got).toEqual([HEAD]);
  });

  test("L-07 output and input of any size pass, in pieces that may cut a character", async () => {
    const large = "ä€😀".repeat(4_000_000);
    const door = await opened(async ({ input, out }) => {
      const text = await textOf(input());
      out(text);
      return text === large ? 0 : 1;
    });
    const { code, out } = await call(door, async function* () {
      yield Buffer.from(large);
    });
    expect([code, out === large]).toEqual([0, true]);
  });

  test("L-07 input is read only by a command that asks for it", async () => {
    const read = vi.fn(noInput);
    expect(await call(await opened(async () => 0), read)).toMatchObject({ code: 0 });
    expect(read).not.toHaveBeenCalled();
    const door = await opened(async ({ input }) => (await textOf(input())).length);
    expect(await call(door, read)).toMatchObject({ code: 0 });
    expect(read).toHaveBeenCalledOnce();
  });

  test("L-07 input that breaks off is not taken for the whole", async () => {
    const failed = latch();
    const door = await opened(async ({ input }) => {
      await expect(textOf(input())).rejects.toMatchObject({
        kind: "io",
        message: expect.stringMatching("before it had sent all"),
      });
      failed.pass();
      return 0;
    });
    const broken = call(door, async function* () {
      yield Buffer.from("- One\n");
      throw new Error("cut");
    });
    await expect(broken).rejects.toMatchObject(ENDED);
    await failed.passed;
  });

  test("L-07 an exit code arrives although the session still sends input", async () => {
    const door = await opened(async ({ input }) => {
      for await (const part of input()) if (part.length > 0) return 5;
      return 0;
    });
    const endless = async function* () {
      for (;;) yield Buffer.alloc(3_000_000);
    };
    for (let times = 0; times < 5; times++) expect(await call(door, endless)).toMatchObject({ code: 5 });
  });

  test("L-07 the command learns that its session hung up", async () => {
    const [started, left] = [latch(), latch()];
    const door = await opened(async ({ gone, out, drained }) => {
      started.pass();
      await new Promise((resolve) => gone.addEventListener("abort", resolve));
      out("to nobody");
      await drained();
      left.pass();
      return 0;
    });
    const socket = connect(door.path);
    socket.write(frame("head", JSON.stringify(HEAD)));
    await started.passed;
    socket.destroy();
    await left.passed;
  });
});

describe("the door", () => {
  test("L-07 is a socket that only this user can reach, and nothing is left of it", async () => {
    const door = await openDoor(async () => 0);
    expect(statSync(dirname(door.path)).mode & 0o777).toBe(0o700);
    await door.close();
    expect(existsSync(dirname(door.path))).toBe(false);
    await expect(call(door)).rejects.toMatchObject(ENDED);
  });

  test("L-07 is below the temporary folder, or where its path is short enough", async () => {
    // The folders of tests have long names.
    const short = mkdtempSync("/tmp/d-");
    onTestFinished(() => rmSync(short, { recursive: true, force: true }));
    vi.stubEnv("TMPDIR", short);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect((await opened(async () => 0)).path.startsWith(`${short}/`)).toBe(true);
    const name = "long".repeat(20);
    vi.stubEnv("TMPDIR", join(temporaryFolder({ [`${name}/x`]: "" }), name));
    const door = await opened(async () => 7);
    expect(Buffer.byteLength(door.path)).toBeLessThan(100);
    expect(await call(door)).toMatchObject({ code: 7 });
    vi.stubEnv("TMPDIR", join(short, "none"));
    expect(await call(await opened(async () => 8))).toMatchObject({ code: 8 });
  });

  test("L-07 that closes hangs up, and waits for a command that is being answered", async () => {
    const started = latch();
    let isDone = false;
    const door = await openDoor(async ({ gone }) => {
      started.pass();
      await new Promise((resolve) => gone.addEventListener("abort", resolve));
      await new Promise((resolve) => setTimeout(resolve, 200));
      isDone = true;
      return 0;
    });
    const called = expect(call(door)).rejects.toMatchObject(ENDED);
    await started.passed;
    await door.close();
    expect(isDone).toBe(true);
    await called;
  });

  test("L-07 answers 32 commands at once, and the next when one has ended", async () => {
    const going = latch();
    let count = 0;
    let most = 0;
    const door = await opened(async () => {
      most = Math.max(most, ++count);
      await going.passed;
      count--;
      return 0;
    });
    const calls = Array.from({ length: 40 }, async () => (await call(door)).code);
    await vi.waitUntil(() => count === 32, { timeout: 50_000 });
    going.pass();
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 40 }, () => 0));
    expect(most).toBe(32);
  });

  test("L-07 hangs up on silence, on bytes that are no frame, and on a frame that is too large", async () => {
    const answer = vi.fn(async () => 0);
    const silent = connect((await opened(answer, { headMs: 50 })).path);
    await closed(silent);
    const door = await opened(answer);
    const large = frame("head");
    large.writeUInt32BE(16 * 1024 * 1024 + 1, 1);
    for (const bytes of [Buffer.from("GET / HTTP/1.1\r\n\r\n"), large, frame("input", "x")]) {
      const socket = connect(door.path);
      socket.write(bytes);
      await closed(socket);
    }
    expect(answer).not.toHaveBeenCalled();
    expect((await call(door)).code).toBe(0);
  });

  test("L-07 that may not be reached is said with a way out", async () => {
    const file = join(temporaryFolder({ s: "" }), "s");
    await expect(call({ path: file })).rejects.toMatchObject(ENDED);
    await expect(call({ path: join(file, "s") })).rejects.toMatchObject({
      kind: "unavailable",
      message: "Cannot reach the run that this session belongs to: ENOTDIR",
      hint: "Let the agent connect to the socket that RALPHCTL_DOOR names",
    });
  });
});
