import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { fileAppears } from "../live-run.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { clockBy } from "../wrong-clock.ts";
import type { TortureCase } from "./case.ts";
import { trialCase } from "./trial-case.ts";
import type { Trial } from "./trial.ts";
import { MOUNTS, onReadOnly, onSmallDisk } from "./mounts.ts";

const HELD = "error: This working tree is in use by run RUN of workspace (process PID, since TIME)";
const HOUR_MS = 3_600_000;

/** Machines on which things go wrong. */
export const machineCases: readonly TortureCase[] = [
  trialCase({
    name: "disk-full-of-output",
    proves: "X-74 P-41",
    about: "The agent prints more than fits on the disk.",
    required: "Exit 74 with a message, and no process left. On a larger disk the next run completes the work.",
    needs: MOUNTS,
    sessions: ["prints-64-megabytes", "honest"],
    act: runOnSmallDisk,
    expected: { codes: [74, 0], told: ["error: Cannot write FILE: ENOSPC"] },
  }),
  trialCase({
    name: "disk-full-of-files",
    proves: "X-74 P-41",
    about: "The agent claims, and then writes a file until the disk is full.",
    required: "Exit 74 with a message, and no process left. On a larger disk the next run completes the work.",
    needs: MOUNTS,
    sessions: ["fills-the-disk", "honest"],
    act: runOnSmallDisk,
    expected: { codes: [74, 0], told: ["error: Cannot write FILE: ENOSPC"] },
  }),
  trialCase({
    name: "file-size-limit",
    proves: "X-74 P-41",
    about: "Files can't grow above 4 MB (`ulimit -f`), and the agent prints more than that.",
    required: "Exit 74 with a message, and no process left. Without the limit the next run completes the work.",
    sessions: ["prints-64-megabytes", "honest"],
    act: async (trial) => {
      await trial.run({ under: ["bash", "-c", 'ulimit -f 4096 && exec "$@"', "bash"] });
      await trial.run();
    },
    expected: { codes: [74, 0], told: ["error: Cannot write FILE: EFBIG"] },
  }),
  trialCase({
    name: "read-only-state",
    proves: "X-74 P-41",
    about: "`.ralph/` is not writable.",
    required: "Exit 74 with a message before any agent starts. Once it is writable, the next run completes the work.",
    needs: MOUNTS,
    sessions: ["honest"],
    act: async (trial) => {
      await trial.run({ under: onReadOnly(join(trial.folder, ".ralph"), trial.folder) });
      const started = existsSync(join(trial.agentFolder, "sessions"));
      await trial.run();
      return { started };
    },
    expected: {
      codes: [74, 0],
      told: ["error: Cannot create the folder FOLDER/.ralph: EROFS"],
      more: { started: false },
    },
  }),
  ...[-HOUR_MS, HOUR_MS].map((byMs) =>
    trialCase({
      name: byMs < 0 ? "clock-back" : "clock-forward",
      proves: "P-41 P-42",
      about: `The clock jumps ${byMs < 0 ? "back" : "forward"} an hour during a session.`,
      required: "No task is lost, no time limit is reached, and all durations are correct.",
      tasks: ["One", "Two"],
      sessions: ["clock-jumps", "other-work"],
      limits: "time: 30m",
      act: async (trial) => {
        const { events } = await trial.run({ env: clockOf(trial, byMs) });
        const durations = events.flatMap((event) => ("durationMs" in event ? [event.durationMs] : []));
        return { wrong: durations.filter((ms) => ms < 0 || ms > 120_000) };
      },
      expected: {
        outcomes: ["verified", "verified"],
        states: { One: "done", Two: "done" },
        commits: ["One", "Two"],
        more: { wrong: [] },
      },
    }),
  ),
  trialCase({
    name: "clock-back-in-a-wait",
    proves: "P-20",
    about: "The clock jumps back an hour while a run waits for an outage to end.",
    required: "The wait takes no longer.",
    sessions: ["outage", "honest"],
    act: async (trial) => {
      await trial.run({
        env: clockOf(trial, -HOUR_MS),
        onEvent: ({ type }) => {
          if (type === "run.waiting") writeFileSync(join(trial.agentFolder, "clock"), "");
        },
      });
    },
    expected: {
      outcomes: ["outage", "verified"],
      told: [expect.stringContaining("The model's server failed") as string],
    },
  }),
  trialCase({
    name: "six-in-one-tree",
    proves: "W-07 X-75",
    about: "Six runs start in one working tree at the same moment.",
    required: "One gets the tree and completes the work. The others exit with 75 and do nothing.",
    sessions: ["waits"],
    act: async (trial) => {
      const runs = Array.from({ length: 6 }, async () => await trial.run());
      await fileAppears(join(trial.agentFolder, "waiting"));
      let refused = 0;
      await new Promise<void>((done) => {
        for (const run of runs) void run.finally(() => (refused += 1) === 5 && done());
      });
      writeFileSync(join(trial.agentFolder, "go"), "");
      await Promise.all(runs);
      return { sessions: readFileSync(join(trial.agentFolder, "sessions"), "utf8").length };
    },
    expected: {
      codes: [75, 75, 75, 75, 75, 0],
      told: Array.from({ length: 5 }, () => HELD),
      more: { sessions: 1 },
    },
  }),
];

/** Wrong as soon as the agent, or a case, writes a file `clock`. */
const clockOf = ({ agentFolder }: Trial, byMs: number): Record<string, string> =>
  clockBy(join(agentFolder, "clock"), byMs);

/** The first run on a disk of 8 MB, the second where there is room, with what the first one left. */
async function runOnSmallDisk(trial: Trial): Promise<void> {
  const { folder } = trial;
  const left = temporaryFolder();
  await trial.run({ under: onSmallDisk(folder, left) });
  rmSync(folder, { recursive: true });
  cpSync(left, folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  await trial.run();
}
