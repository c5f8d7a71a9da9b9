import { probeNamespace } from "../../src/system/sandbox/probe.ts";
import type { Need, TortureCase } from "./case.ts";
import { IN_SANDBOX } from "./trial.ts";
import { inBothVoices, trialCase } from "./trial-case.ts";

const LEFT_ONE = "It left a process running, and ralphctl ended it";
const missing = IN_SANDBOX ? undefined : (await probeNamespace(undefined, process.env))?.why;
const NAMESPACE: Need = {
  what: "a process namespace (Linux, as root or with `--sandbox bwrap`)",
  missing: () => missing,
};
const GONE_ON = "The work is proven in the next session";

/** Agents that do not end as they should, and what they leave behind. */
export const processCases: readonly TortureCase[] = [
  trialCase({
    name: "result-then-hang",
    proves: "P-14",
    about: "The agent reports its result and does not exit.",
    required: "ralphctl stops it after the grace period, and its result counts.",
    sessions: ["result-then-hang"],
    limits: "grace: 1s",
    expected: { told: ["It gave its result but did not exit"] },
  }),
  trialCase({
    name: "result-then-deaf",
    proves: "P-14",
    about: "The agent reports its result, does not exit, and ignores every signal it can.",
    required: "ralphctl kills it after all stop signals, and its result counts.",
    slow: "The stop order of Claude Code takes eight seconds",
    sessions: ["result-then-deaf"],
    limits: "grace: 1s",
    expected: { told: ["It gave its result but did not exit"] },
  }),
  trialCase({
    name: "result-then-more",
    proves: "P-14",
    about: "The agent reports its result, keeps printing, each line within the grace period, then exits.",
    required: "Each line restarts the grace period, so ralphctl does not stop it.",
    sessions: ["result-then-more"],
    limits: "grace: 2s",
  }),
  ...inBothVoices({
    name: "stdout-held",
    proves: "P-14 P-40",
    about: "A grandchild holds the agent's output open after the agent has exited.",
    required: "The run does not wait for it, but ends it, and the claim counts.",
    sessions: ["stdout-held"],
    expected: { told: [LEFT_ONE] },
  }),
  ...inBothVoices({
    name: "stdout-held-unmarked",
    proves: "P-14 B-07",
    about: "A grandchild with an empty environment, in its own session, holds the agent's output open.",
    required:
      "It ends with the process namespace of its session. Without one, ralphctl can't find it by its marker, but the run does not wait for it.",
    needs: NAMESPACE,
    sessions: ["stdout-held-unmarked"],
    expected: { told: ["It left 2 processes running, and ralphctl ended them"] },
  }),
  ...inBothVoices({
    name: "setsid",
    proves: "P-40",
    about: "The agent leaves a process in its own session.",
    required: "ralphctl finds it by its marker and ends it before the gates run.",
    sessions: ["setsid"],
    expected: { told: [LEFT_ONE] },
  }),
  ...inBothVoices({
    name: "double-fork",
    proves: "P-40",
    about: "The agent leaves a daemon: forked twice, in its own session, with its parents gone.",
    required: "ralphctl finds it by its marker and ends it before the gates run.",
    sessions: ["double-fork"],
    expected: { told: [LEFT_ONE] },
  }),
  trialCase({
    name: "fork-bomb",
    proves: "P-40",
    about: "The agent leaves 200 processes: some in their own sessions, some that ignore SIGTERM.",
    required: "ralphctl ends all of them, and the claim counts.",
    sessions: ["fork-bomb"],
    expected: { told: ["It left 200 processes running, and ralphctl ended them"] },
  }),
  ...inBothVoices({
    name: "silent-hang",
    proves: "P-14 P-20",
    about: "The agent claims, and then hangs silently forever.",
    required: `ralphctl stops it after the inactivity limit, and its claim does not count. ${GONE_ON}.`,
    sessions: ["silent-hang", "honest"],
    limits: "inactivity: 4s",
    expected: {
      outcomes: ["timed-out", "verified"],
      told: ["It was silent for too long", "The agent was silent for too long and was stopped"],
    },
  }),
  ...inBothVoices({
    name: "never-pauses",
    proves: "P-14 P-20",
    about: "The agent claims, and then prints forever without a pause.",
    required: `ralphctl stops it at the time limit of a session, and its claim does not count. ${GONE_ON}.`,
    sessions: ["never-pauses", "honest"],
    limits: "attempt: 4s",
    expected: {
      outcomes: ["timed-out", "verified"],
      told: ["It exceeded the time limit of a session", "The session exceeded its time limit and was stopped"],
    },
  }),
  ...inBothVoices({
    name: "segfault",
    proves: "P-14 P-20",
    about: "The agent claims and dies of SIGSEGV.",
    required: `Its claim does not count. ${GONE_ON}.`,
    sessions: ["segfault", "honest"],
    expected: {
      outcomes: ["crashed", "verified"],
      told: ["The agent ended with signal SIGSEGV and no result"],
    },
  }),
  trialCase({
    name: "segfault-after-result",
    proves: "P-14 P-20",
    about: "The agent reports its result and dies of SIGSEGV.",
    required: `Neither its result nor its claim counts. ${GONE_ON}.`,
    sessions: ["segfault-after-result", "honest"],
    expected: {
      outcomes: ["crashed", "verified"],
      told: ["The agent gave its result, but ended with signal SIGSEGV"],
    },
  }),
];
