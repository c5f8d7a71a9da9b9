import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, write } from "../../test/temporary-folder.ts";
import { notifyCommand } from "./shipped-hook.ts";

const TEXT = 'a "b" $(touch bad) `touch bad` \\ -e <b>&';

/** What happens when a shell runs it where only these programs are, and with which words the first was called. */
function played(command: string, programs: readonly string[]) {
  const folder = temporaryFolder();
  for (const name of programs) {
    write(folder, { [name]: `#!/bin/sh\nfor word; do printf '%s\\n' "$word"; done >>'${folder}/calls'\n` });
    chmodSync(join(folder, name), 0o755);
  }
  // Its own sed, and nothing else of the system that could be a desktop's.
  write(folder, { sed: '#!/bin/sh\nexec /usr/bin/sed "$@"\n' });
  chmodSync(join(folder, "sed"), 0o755);
  const env = { PATH: folder, RALPHCTL_HOOK_POINT: "run-end", RALPHCTL_HOOK_TEXT: TEXT };
  const { status, stderr } = spawnSync("/bin/sh", ["-c", command], { cwd: folder, env, encoding: "utf8" });
  const calls = existsSync(join(folder, "calls")) ? readFileSync(join(folder, "calls"), "utf8").split("\n") : [];
  return { status, stderr, calls, isBroken: existsSync(join(folder, "bad")) };
}

const BOTH = ["osascript", "notify-send"];

test("S003-03 W-05 on macOS osascript shows it, with the text as an argument of a script that never changes", () => {
  expect(played(notifyCommand("darwin"), BOTH)).toEqual({
    status: 0,
    stderr: "",
    calls: [
      "-e",
      "on run argv",
      "-e",
      "display notification (item 2 of argv) with title (item 1 of argv)",
      "-e",
      "end run",
      "ralphctl: run-end",
      TEXT,
      "",
    ],
    isBroken: false,
  });
});

test.each(["linux", "freebsd"])("S003-03 W-05 on %s notify-send shows it, as text and not as markup", (platform) => {
  expect(played(notifyCommand(platform), BOTH)).toEqual({
    status: 0,
    stderr: "",
    calls: ["--app-name=ralphctl", "--", "ralphctl: run-end", TEXT.replace("&", "&amp;").replace("<b>", "&lt;b>"), ""],
    isBroken: false,
  });
});

test.each([
  ["darwin", "osascript"],
  ["linux", "notify-send"],
])("S003-03 on %s without %s it fails with a sentence", (platform, program) => {
  const others = BOTH.filter((name) => name !== program);
  expect(played(notifyCommand(platform), others)).toEqual({
    status: 1,
    stderr: `${program} is not on the PATH\n`,
    calls: [],
    isBroken: false,
  });
});
