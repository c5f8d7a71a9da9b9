import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { marked } from "../../src/system/process/sweep.ts";
import { TERMINAL_GUARD_MARKER } from "../../src/system/process/terminal-guard.ts";
import { PROGRAM } from "../built-program.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { screenAfter } from "../screen.ts";
import { hasTerminals, startAtTerminal } from "../terminal.ts";

const WAITING = "- - say: Here I wait.\n  - delayMs: 600000\n";

/** What is done after the kill, at the same terminal; `$1` is there once the guard is gone. */
const THEN_WAIT = "until test -f \"$1\"; do sleep 0.02; done; stty -a | tr ';' '\\n' | sed 's/^ */is: /'";

const newestPid = (text: string): number => Number(/"pid":(\d+)/.exec(text)?.[1]);

/** Kills a run that shows its view, and then does `after` in the shell that had started it. */
async function killed(after: string): Promise<{ readonly seen: string; readonly atKill: number }> {
  const place = await loopWorkspace({ script: WAITING });
  const gone = join(place.folder, ".git", "gone");
  const command = ["env", "-u", "NO_COLOR", "-u", "CI", "TERM=xterm", process.execPath, PROGRAM, "run"];
  const started = startAtTerminal(["sh", "-c", `gone=$1; shift; ${after}`, "sh", gone, ...command], place.folder);
  await started.says("Here I wait.");
  const events = (await place.ralphctl("logs", "--json", "--type", "run.started")).stdout;
  const pid = newestPid(events);
  const guards = (): number[] => marked({ name: TERMINAL_GUARD_MARKER, value: String(pid) });
  expect(guards().length).toBe(1);
  const atKill = started.output().length;
  process.kill(pid, "SIGKILL");
  await vi.waitUntil(() => guards().length === 0, { timeout: 50_000, interval: 10 });
  place.write({ ".git/gone": "" });
  await started.ended;
  return { seen: started.output(), atKill };
}

/** The settings that a later `stty -a` told. */
const settingsIn = (seen: string): string => seen.split("is: ").slice(1).join(" ").replaceAll(/\s+/g, " ");

describe.runIf(hasTerminals)("P-40 the terminal of a run that was killed", () => {
  test("reads lines and shows its cursor again", async () => {
    const { seen, atKill } = await killed(`"$@"; set -- "$gone"; ${THEN_WAIT}`);
    expect(settingsIn(seen)).toMatch(/ isig icanon .* echo /);
    expect(seen.lastIndexOf("\u001b[?25h")).toBeGreaterThan(seen.lastIndexOf("\u001b[?25l"));
    expect(seen.indexOf("\u001b[?25h\u001b[J", atKill)).toBeGreaterThan(0);
  });

  test("has nothing of the view left, nor beside the word of the shell", async () => {
    const { seen } = await killed('"$@"; until test -f "$gone"; do sleep 0.02; done; echo Back again');
    const { text } = await screenAfter({ columns: 80, rows: 24 }, [seen]);
    const lines = text.split("\n");
    expect(lines.slice(lines.findIndex((line) => line.includes("Here I wait.")) + 1)).toEqual([
      expect.stringMatching(/Killed$/),
      "Back again",
    ]);
  });

  test("keeps what somebody has set meanwhile", async () => {
    const { seen } = await killed(`"$@"; stty -icanon min 3; set -- "$gone"; ${THEN_WAIT}`);
    expect(settingsIn(seen)).toMatch(/ min = 3 .* -icanon /);
  });

  test("is left alone while another job has it", async () => {
    const { seen, atKill } = await killed(`set -m; "$@"; sh -c '${THEN_WAIT.replaceAll("'", "'\\''")}' sh "$gone"`);
    expect(settingsIn(seen)).toMatch(/ -isig -icanon .* -echo /);
    expect(seen.slice(atKill)).not.toContain("\u001b[?25h");
  });
});
