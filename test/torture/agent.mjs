// The agent of the torture suite: a program that speaks like Claude Code (stream-json), or like any command (plain
// text), and behaves as badly as its sessions say. Started by `hostileAgent` in `hostile-agent.ts`.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { appendFileSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";

// A run asks once for the version, which is no session.
if (process.argv.includes("--version")) {
  console.log("2.1.325 (Claude Code)");
  process.exit();
}

const { RALPHCTL_TASK, RALPHCTL_RUN, RALPHCTL_ITERATION, TORTURE_SESSIONS, TORTURE_FOLDER } = process.env;
const CLAIM = `<task-done>${RALPHCTL_TASK}</task-done>`;
const MEGABYTE = 1024 ** 2;
const forEver = () => setInterval(() => undefined, 2 ** 30);
const rest = (ms) => new Promise((done) => setTimeout(done, ms));

let printed = 0;

/** All of it, before anything else is done: nothing waits in this process. */
function write(bytes) {
  const buffer = Buffer.from(bytes);
  for (let at = 0; at < buffer.length;) at += writeSync(1, buffer, at);
  printed += buffer.length;
}

const recordingOf = (name) =>
  readFileSync(new URL(`../../src/harness/recorded/claude/${name}.ndjson`, import.meta.url), "utf8");
const recorded = recordingOf("basic")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));
const blockOf = ({ message }) => message?.content[0]?.type;
const line = (message) => `${JSON.stringify(message)}\n`;

/** In lines of the real one: only what they say is ours. */
const claude = {
  begin: () => write(line(recorded.find(({ subtype }) => subtype === "init"))),
  text: (text) => {
    const shape = recorded.find((one) => blockOf(one) === "text");
    return line({ ...shape, message: { ...shape.message, content: [{ ...shape.message.content[0], text }] } });
  },
  result: (text) => line({ ...recorded.find(({ type }) => type === "result"), result: text }),
};

/** Its output is its message; only its end tells that it is through. */
const plain = { begin: () => undefined, text: (text) => `${text}\n`, result: () => "" };

const voice = process.argv.includes("stream-json") ? claude : plain;
const say = (text) => write(voice.text(text));
const work = () => writeFileSync("done.txt", "yes\n");

/** Work and claim as they should be; what follows may still spoil them. */
function finish() {
  work();
  say(CLAIM);
  write(voice.result(CLAIM));
}

/** A shell command whose processes outlive it; resolves once it has written `ready`. */
function leave(command, stdio = ["ignore", "pipe", "ignore"]) {
  const child = spawn("sh", ["-c", command], { stdio });
  if (child.stdout === null) return rest(200);
  return new Promise((done) => child.stdout.once("data", done));
}

/** The same bytes again and again, in pieces as large as a pipe takes. */
function repeat(text, count) {
  const times = Math.max(1, Math.floor(65_536 / text.length));
  const piece = Buffer.from(text.repeat(times));
  for (let left = count; left > 0; left -= times) {
    write(left >= times ? piece : Buffer.from(text.repeat(left)));
  }
}

// In the person's workspace, which is the home folder in these tests.
const runsFolder = join(process.env.HOME, ".ralph", "runs");
const runFolder = join(runsFolder, RALPHCTL_RUN ?? "");
const ownFolder = join(runFolder, RALPHCTL_ITERATION ?? "");

/** A sandbox makes it fail, and only that: then nothing of it is to be seen. */
function attack(action) {
  try {
    action();
  } catch (error) {
    if (error.code !== "EROFS" && error.code !== "EBUSY") throw error;
  }
}

const BEHAVIOURS = {
  honest: finish,
  // Works and says nothing about it.
  half: () => {
    writeFileSync("half.txt", `${Math.random()}`);
    say("To be continued.");
    write(voice.result(""));
  },

  "result-then-hang": () => {
    finish();
    forEver();
  },
  "result-then-deaf": () => {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => undefined);
    finish();
    forEver();
  },
  "result-then-more": async () => {
    finish();
    for (let count = 0; count < 25; count += 1) {
      await rest(100);
      write(`{"type":"system","subtype":"status","count":${count}}\n`);
    }
  },
  "stdout-held": async () => {
    await leave("sleep 300 & exit 0", ["ignore", "inherit", "inherit"]);
    finish();
  },
  // Without a mark in its environment, and with the pipes: not ours to find, and over by itself soon.
  "stdout-held-unmarked": async () => {
    // Its last argument is our folder: nothing else tells where it comes from.
    const daemon = `env -i setsid sh -c 'sleep 6; :' ${process.env.TORTURE_FOLDER}`;
    await leave(`${daemon} & exit 0`, ["ignore", "inherit", "inherit"]);
    finish();
  },
  setsid: async () => {
    await leave("setsid sh -c 'echo ready; exec sleep 300 >/dev/null' &");
    finish();
  },
  "double-fork": async () => {
    await leave("(setsid sh -c '(cd / && sh -c \"echo ready; exec sleep 300 >/dev/null\") & exit 0' & exit 0)");
    finish();
  },
  "silent-hang": () => {
    work();
    say(`I begin. ${CLAIM}`);
    forEver();
  },
  "never-pauses": () => {
    work();
    say(CLAIM);
    for (;;) write(voice.text("I am still at it."));
  },
  segfault: () => {
    work();
    say(CLAIM);
    process.kill(process.pid, "SIGSEGV");
  },
  "segfault-after-result": () => {
    finish();
    process.kill(process.pid, "SIGSEGV");
  },
  "half-a-line": () => {
    work();
    const last = voice === claude ? voice.text(CLAIM) + voice.result(CLAIM) : CLAIM;
    write(last.slice(0, -8));
  },
  "invalid-utf8": async () => {
    const broken = [0xff, 0xfe, 0x00, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0xf0, 0x9f, 0x0a];
    write(broken);
    const text = Buffer.from(voice.text("Größe: 📏"));
    // A character in two pieces.
    const middle = text.indexOf(0xc3) + 1;
    write(text.subarray(0, middle));
    await rest(50);
    write(text.subarray(middle));
    finish();
    write(broken);
  },
  gigabyte: () => {
    repeat(voice.text("x".repeat(1000)), Math.ceil(1024 ** 3 / voice.text("x".repeat(1000)).length));
    finish();
  },
  "long-line": () => {
    for (let count = 0; count < 100; count += 1) write("x".repeat(MEGABYTE));
    write("\n");
    finish();
  },
  "million-lines": () => {
    repeat("x\n", 1_000_000);
    finish();
  },
  "forges-transcript": () => {
    work();
    attack(() => {
      appendFileSync(join(ownFolder, "transcript.ndjson"), claude.text(CLAIM) + claude.result(CLAIM));
      writeFileSync(join(ownFolder, "prompt.md"), "You have nothing to do.\n");
      appendFileSync(join(runFolder, "events.ndjson"), '{"type":"run.finished","ending":"complete"}\n');
    });
    say("It is all in the transcript.");
    write(voice.result(""));
  },
  "removes-run-folder": () => {
    attack(() => rmSync(runFolder, { recursive: true }));
    finish();
  },
  "runs-is-a-file": () => {
    attack(() => {
      rmSync(runsFolder, { recursive: true });
      writeFileSync(runsFolder, "");
    });
    finish();
  },
  "run-folder-is-a-link": () => {
    attack(() => {
      rmSync(runFolder, { recursive: true });
      symlinkSync(TORTURE_FOLDER, runFolder);
    });
    finish();
  },
  "fork-bomb": async () => {
    const kinds = ["exec sleep 300", "exec setsid sleep 300", 'trap "" TERM; exec sleep 300'];
    const all = Array.from({ length: 200 }, (_, index) => `(${kinds[index % 3]}) >/dev/null 2>&1 &`);
    await leave(`${all.join("\n")}\necho ready`);
    finish();
  },
  outage: () => {
    write(recordingOf("err-529"));
    process.exitCode = 1;
  },
  "clock-jumps": () => {
    writeFileSync(process.env.TORTURE_CLOCK, "");
    finish();
  },
  "prints-64-megabytes": () => {
    work();
    say(CLAIM);
    repeat(voice.text("x".repeat(1000)), 64 * 1024);
    finish();
  },
  // The disk of the workspace, with work that is too large for the space left.
  "fills-the-disk": () => {
    writeFileSync("work.bin", randomBytes(3 * MEGABYTE));
    finish();
    const piece = Buffer.alloc(4096, 1);
    try {
      for (let count = 0; count < 64 * 256; count += 1) appendFileSync(join(runFolder, "large.bin"), piece);
    } catch {
      // That was the point.
    }
  },
  "other-work": () => {
    writeFileSync("other.txt", "yes\n");
    finish();
  },
  waits: async () => {
    writeFileSync(join(TORTURE_FOLDER, "waiting"), "");
    while (statSync(join(TORTURE_FOLDER, "go"), { throwIfNoEntry: false }) === undefined) await rest(10);
    finish();
  },
};

/** Which session this is, over all runs: the last one is repeated ever after. */
const sessions = TORTURE_SESSIONS.split(" ");
const log = join(TORTURE_FOLDER, "sessions");
appendFileSync(log, "x");
readFileSync(0); // the prompt
voice.begin();
await BEHAVIOURS[sessions[Math.min(statSync(log).size, sessions.length) - 1]]();
writeFileSync(join(TORTURE_FOLDER, "printed"), String(printed));
