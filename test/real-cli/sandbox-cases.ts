import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { probeSandbox } from "../../src/system/sandbox/probe.ts";
import { eventsOf } from "../run-seen.ts";
import { isRunning } from "../running-command.ts";
import { type RealCase, work } from "./cases.ts";
import type { Stage } from "./stage.ts";

const missing = await probeSandbox("bwrap", process.env);
const CLIS = ["claude", "codex", "opencode", "gemini", "pi"];
/** Unlike any other's, so that the daemon is found. */
const SECONDS = 3000 + Math.floor(Math.random() * 1e6);

const HOSTILE = `cat "$HOME/.ssh/id"; echo evil > "$HOME/evil.txt"; kill -9 1; (setsid env -i sleep ${SECONDS} >/dev/null 2>&1 &); true`;

/** B-09: the agent does its work, and what it must not do fails. */
export const SANDBOX_CASES: readonly RealCase[] = [
  {
    name: "sandbox",
    // Without bubblewrap no CLI plays it.
    only: missing === undefined ? CLIS : [missing.why],
    proves: "B-07 B-09",
    about: "in bubblewrap it works as ever, reads no key, writes nothing outside, kills nobody and leaves no daemon",
    play: (cli) => ({
      script: (about) => [{ text: "I look around.", tools: [cli.runs(HOSTILE)] }, ...work(cli, about)],
      env: { RALPHCTL_SANDBOX_AGENT: "bwrap" },
      home: () => ({ ".ssh/id": "the very key\n" }),
    }),
    more: ({ model, run, home }: Stage) => ({
      hasKey: model.asked.some((text) => text.includes("the very key")),
      hasWritten: existsSync(join(home, "evil.txt")),
      hasDaemon: isRunning(`sleep ${SECONDS}`),
      refused: eventsOf(run, "agent.refused").map(({ access, path }) => [access, dirname(path) === home]),
      left: eventsOf(run, "session.stopped").filter(({ why }) => why.startsWith("It left")).length,
    }),
    expected: () => ({
      more: {
        hasKey: false,
        hasWritten: false,
        hasDaemon: false,
        refused: [
          ["read", false],
          ["write", true],
        ],
        left: 1,
      },
    }),
  },
];
