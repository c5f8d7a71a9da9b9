import { chmodSync, existsSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { temporaryFolder, write } from "../../test/temporary-folder.ts";
import { settings } from "../harness/harness.contract.ts";
import { claude, codex } from "../harness/index.ts";
import { versionWarnings } from "./harness-version.ts";
import type { ReadyHarness } from "./run/check-harnesses.ts";

/** A program `claude` of some version, and a home that remembers what was seen of it. */
function installed() {
  const folder = temporaryFolder();
  const file = join(folder, "claude");
  const env = { PATH: `${folder}:${process.env["PATH"]}`, HOME: temporaryFolder() };
  let day = 1;
  const install = (script: string): void => {
    write(folder, { claude: `#!/bin/sh\necho asked >> ${folder}/asked\n${script}\n` });
    chmodSync(file, 0o755);
    day += 1;
    utimesSync(file, day, day);
  };
  const look = async (bin: string | null = null, stop?: AbortSignal): Promise<string[]> => {
    const more = { model: null, smart: null, fast: null, models: [], preamble: true, kind: null };
    const ready: ReadyHarness = { name: "claude", harness: claude, settings: { ...settings, ...more, bin } };
    return await versionWarnings([ready, ready], { env, stop });
  };
  const asked = (): number =>
    existsSync(join(folder, "asked")) ? readFileSync(join(folder, "asked"), "utf8").split("\n").length - 1 : 0;
  return { install, look, asked, folder };
}

const NEWER = "is newer than 2.1.325, the version that ralphctl was tested with";

test("X-69 a run asks a program for its version once, and again when it has changed", async () => {
  const { install, look, asked } = installed();
  install("echo 2.1.325");
  expect([await look(), await look(), asked()]).toEqual([[], [], 1]);
  install("echo 2.1.100");
  const older = ["Claude Code 2.1.100 is older than 2.1.197, the oldest supported version"];
  expect([await look(), await look(), asked()]).toEqual([older, older, 2]);
});

test("X-69 a newer minor version is told once, another major version in each run, wherever it is printed", async () => {
  const { install, look } = installed();
  install("echo 2.2.0 >&2");
  expect([await look(), await look()]).toEqual([[`Claude Code 2.2.0 ${NEWER}`], []]);
  install("echo 99.0.0");
  const other = [`Claude Code 99.0.0 ${NEWER}`];
  expect([await look(), await look()]).toEqual([other, other]);
});

test("X-69 programs are asked at the same time", async () => {
  const folder = temporaryFolder();
  // Each waits until the other was started, too.
  const script = (own: string, other: string): string =>
    `#!/bin/sh\ntouch ${folder}/${own}.on\nuntil [ -e ${folder}/${other}.on ]; do sleep 0.05; done\necho 99.0.0\n`;
  write(folder, { claude: script("claude", "codex"), codex: script("codex", "claude") });
  for (const name of ["claude", "codex"]) chmodSync(join(folder, name), 0o755);
  const env = { PATH: `${folder}:${process.env["PATH"]}`, HOME: temporaryFolder() };
  const ready = [claude, codex].map((harness): ReadyHarness => {
    const more = { model: null, smart: null, fast: null, models: [], preamble: true, kind: null };
    return { name: harness.facts.title, harness, settings: { ...settings, ...more, bin: null } };
  });
  expect(await versionWarnings(ready, { env })).toHaveLength(2);
});

test("X-69 a program that does not tell, or that is the person's own script, is no reason to warn", async () => {
  const { install, look, asked, folder } = installed();
  install("exit 1");
  expect([await look(), await look(), asked()]).toEqual([[], [], 1]);
  const before = asked();
  write(folder, { "my-claude": "#!/bin/sh\ntouch started\n" });
  chmodSync(join(folder, "my-claude"), 0o755);
  expect([await look(join(folder, "my-claude")), asked()]).toEqual([[], before]);
});

test("P-40 the end of the run does not wait for a version, and nothing is remembered of it", async () => {
  const { install, look, asked, folder } = installed();
  install(`touch ${folder}/on\nsleep 300`);
  const stop = new AbortController();
  const looked = look(null, stop.signal);
  await vi.waitUntil(() => existsSync(join(folder, "on")), { timeout: 50_000 });
  stop.abort();
  expect(await looked).toEqual([]);
  expect(await look(null, stop.signal)).toEqual([]);
  expect(asked()).toBe(1);
  install("echo 99.0.0");
  expect(await look()).toHaveLength(1);
});
