import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { git, gitBytes, type GitPlace } from "./git.ts";
import { type GitShells, openGitShells } from "./shell.ts";
import { startTimeOf } from "../process/process-identity.ts";
import { marked, sweep } from "../process/sweep.ts";
import { byLane } from "../../../test/lane.ts";
import { anyText } from "../../../test/any-text.ts";

const env = { PATH: process.env["PATH"], HOME: "/nowhere", GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" };

function place(own: Record<string, string> = {}): GitPlace & { readonly shells: GitShells } {
  const folder = temporaryFolder();
  spawnSync("git", ["init", "--quiet", folder]);
  return { folder, env, shells: openGitShells({ ...env, ...own }) };
}

const without = ({ folder }: GitPlace): GitPlace => ({ folder, env });

test("P-30 git's answer is the same with and without a shell between: words, bytes, both streams, the code", async () => {
  const here = place();
  const word = anyText().filter((text) => !text.includes("\0"));
  await fc.assert(
    fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 4 }), async (words) => {
      const args = ["rev-parse", "--sq-quote", ...words];
      expect(await gitBytes(here, args)).toEqual(await gitBytes(without(here), args));
    }),
    { numRuns: byLane(6, 20) },
  );
  for (const args of [["rev-parse", "--verify", "HEAD"], ["no-such-command"], ["status", "-z"], []]) {
    expect([args, await gitBytes(here, args)]).toEqual([args, await gitBytes(without(here), args)]);
  }
});

test("P-30 git reads the same input with and without a shell between: any bytes, a little and a lot", async () => {
  const here = place();
  const args = ["hash-object", "--stdin"];
  const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const inputs = [
    every,
    Buffer.from("-n %s %% \\0 'it''s' $HOME `x`\n"),
    Buffer.alloc(4096, "%"),
    Buffer.alloc(50_000, 0),
  ];
  for (const stdin of inputs) {
    expect(await gitBytes(here, args, { stdin })).toEqual(await gitBytes(without(here), args, { stdin }));
  }
  const asked = { folder: here.folder, args, env: {} };
  expect((await here.shells.run({ ...asked, stdin: every }))?.code).toBe(0);
  expect(await here.shells.run({ ...asked, stdin: inputs.at(-1)! })).toBe(undefined);
});

test("P-30 one shell answers many times, eight answer side by side, and a ninth question needs no shell", async () => {
  const here = place();
  const ask = (name: string) => git(here, ["-c", `a.b=${name}`, "config", "a.b"]);
  const names = Array.from({ length: 20 }, (_, at) => `name ${at}`);
  const answers = await Promise.all(names.map(ask));
  expect(answers).toEqual(names.map((name) => ({ code: 0, stdout: `${name}\n`, stderr: "" })));
  const nine = await Promise.all(names.slice(0, 9).map(() => here.shells.run(versionIn(here))));
  expect(nine.map((answer) => answer?.code)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, undefined]);
});

test("P-30 a shell keeps no answer that it gave", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const here = place();
  const answers: WeakRef<object>[] = [];
  for (let count = 0; count < 20; count += 1)
    answers.push(new WeakRef((await here.shells.run(versionIn(here)))!.stdout));
  await vi.waitFor(
    () => {
      collect();
      // The last one may still be in a variable.
      expect(answers.filter((answer) => answer.deref() !== undefined).length).toBeLessThanOrEqual(1);
    },
    { timeout: 50_000 },
  );
});

const versionIn = ({ folder }: GitPlace) => ({ folder, args: ["version"], env: {} });

test("P-30 variables of one question are not those of the next", async () => {
  const here = place();
  const asked = { ...versionIn(here), args: ["rev-parse", "--git-path", "index"] };
  const other = await here.shells.run({ ...asked, env: { GIT_INDEX_FILE: "it's another" } });
  const usual = await here.shells.run(asked);
  expect([other?.stdout.toString(), usual?.stdout.toString()]).toEqual(["it's another\n", ".git/index\n"]);
});

test("P-30 where the folder or git is missing, the answer is the typed error of a start without a shell", async () => {
  const here = place();
  const gone = { ...here, folder: join(here.folder, "gone") };
  const error = { kind: "unavailable", message: "Cannot start git: ENOENT" };
  await expect(git(gone, ["version"])).rejects.toMatchObject(error);
  const empty = temporaryFolder();
  const poor = { ...here, env: { PATH: empty }, shells: openGitShells({ PATH: empty }) };
  await expect(git(poor, ["version"])).rejects.toMatchObject(error);
});

test("P-30 a git that is killed with its shell has failed, and the next question has a shell again", async () => {
  const bin = temporaryFolder();
  const folder = join(bin, "there");
  mkdirSync(folder);
  // Kills the shell that started it, if the word says so.
  writeFileSync(join(bin, "git"), '#!/bin/sh\ntest "$1" = kill && kill -KILL $PPID\necho "$1"\n', { mode: 0o755 });
  const shells = openGitShells({ PATH: `${bin}:${process.env["PATH"]}` });
  const ask = (word: string) => shells.run({ folder, args: [word], env: {} });
  expect((await ask("one"))?.stdout.toString()).toBe("one\n");
  expect(await ask("kill")).toEqual({ code: 137, stdout: Buffer.alloc(0), stderr: "git was ended" });
  expect((await ask("two"))?.stdout.toString()).toBe("two\n");
});

test("P-30 output of many megabytes comes whole, whatever it contains", async () => {
  const here = place();
  const bytes = Buffer.alloc(3 * 1024 * 1024, "a\0\n");
  writeFileSync(join(here.folder, "file"), bytes);
  const { stdout: name } = await git(here, ["hash-object", "-w", "file"]);
  const answer = await here.shells.run({ ...versionIn(here), args: ["cat-file", "blob", name.trim()] });
  expect(answer?.stdout.equals(bytes)).toBe(true);
});

test("P-41 shells that are closed are gone, and the next question starts another", async () => {
  const marker = { name: "TEST_SHELLS", value: randomUUID() };
  const here = place({ [marker.name]: marker.value });
  await git(here, ["version"]);
  expect(marked(marker)).toHaveLength(1);
  await here.shells.close();
  expect(marked(marker)).toEqual([]);
  expect((await git(here, ["version"])).code).toBe(0);
  await here.shells.close();
  expect(marked(marker)).toEqual([]);
});

test("P-30 a shell that was killed while it waited has begun nothing, so git is started without it", async () => {
  const marker = { name: "TEST_SHELLS", value: randomUUID() };
  const here = place({ [marker.name]: marker.value });
  await git(here, ["version"]);
  const pids = marked(marker);
  for (const pid of pids) process.kill(pid, "SIGKILL");
  // Nothing else happens in this process meanwhile: it cannot have heard of it.
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  for (let tries = 0; tries < 500 && pids.some((pid) => startTimeOf(pid) !== undefined); tries += 1) {
    Atomics.wait(nobody, 0, 0, 10);
  }
  expect(await here.shells.run(versionIn(here))).toBe(undefined);
  expect(await here.shells.run(versionIn(here))).toMatchObject({ code: 0 });
  await here.shells.close();
});

/** Leaves something running that holds its pipes, and writes to one without an end of line, over and over. */
const LEAVER = `#!/bin/sh
test "$2" = noisy && while :; do printf . >&2; done &
test "$2" = quiet && sleep 60 &
test "$2" = slain && kill -KILL $$
echo "$2"
`;

describe("P-30 a git that leaves something running", () => {
  test.each(["noisy", "quiet"])("has answered when it ended (%s)", async (word) => {
    const marker = { name: "TEST_SHELLS", value: randomUUID() };
    onTestFinished(async () => void (await sweep(marker)));
    const bin = temporaryFolder();
    writeFileSync(join(bin, "git"), LEAVER, { mode: 0o755 });
    const own = { PATH: `${bin}:${process.env["PATH"]}`, [marker.name]: marker.value };
    const shells = openGitShells(own);
    const beside = await git({ folder: bin, env: own, shells }, [word]);
    const alone = await git({ folder: bin, env: own }, [word]);
    await shells.close();
    expect([beside, alone]).toMatchObject([
      { code: 0, stdout: `${word}\n` },
      { code: 0, stdout: `${word}\n` },
    ]);
  });
});

test("P-40 a git that died of what was sent to our process group is started again, once", async () => {
  const bin = temporaryFolder();
  const script = `#!/bin/sh\necho x >>"${bin}/starts"\n[ "$(wc -l <"${bin}/starts")" -gt "$3" ] && echo done || kill -s "$4" $$\n`;
  writeFileSync(join(bin, "git"), script, { mode: 0o755 });
  const place = { folder: bin, env: { PATH: `${bin}:${process.env["PATH"]}` } };
  expect(await git(place, ["log", "1", "TERM"])).toMatchObject({ code: 0, stdout: "done\n" });
  await expect(git(place, ["log", "9", "INT"])).rejects.toThrow("git log was killed by signal 2");
  expect(readFileSync(join(bin, "starts"), "utf8")).toBe("x\n".repeat(4));
});

test("P-34 a git that somebody killed has not said no: that is an error, with and without a shell", async () => {
  const bin = temporaryFolder();
  writeFileSync(join(bin, "git"), LEAVER, { mode: 0o755 });
  const own = { PATH: `${bin}:${process.env["PATH"]}` };
  const shells = openGitShells(own);
  const error = { kind: "io", message: "git slain was killed by signal 9" };
  await expect(git({ folder: bin, env: own, shells }, ["slain"])).rejects.toMatchObject(error);
  await expect(git({ folder: bin, env: own }, ["slain"])).rejects.toMatchObject(error);
  await shells.close();
});
