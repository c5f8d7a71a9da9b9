import type { TortureCase } from "./case.ts";
import { inBothVoices, trialCase } from "./trial-case.ts";

const LEFT_ONE = "It left a process running, which was ended";
const GONE_ON = "The work is proven in the next session";

/** Agents that do not end as they should, and what they leave behind. */
export const processCases: readonly TortureCase[] = [
  trialCase({
    name: "result-then-hang",
    proves: "P-14",
    about: "The agent gives its result and does not exit.",
    required: "After the grace period it is stopped, and its result holds.",
    sessions: ["result-then-hang"],
    limits: "grace: 1s",
    expected: { told: ["It had given its result and did not exit"] },
  }),
  trialCase({
    name: "result-then-deaf",
    proves: "P-14",
    about: "The agent gives its result, does not exit, and ignores every signal that can be ignored.",
    required: "It is killed at the end of its stop order, and its result holds.",
    slow: "The stop order of Claude Code takes eight seconds",
    sessions: ["result-then-deaf"],
    limits: "grace: 1s",
    expected: { told: ["It had given its result and did not exit"] },
  }),
  trialCase({
    name: "result-then-more",
    proves: "P-14",
    about: "The agent gives its result and goes on printing, each line within the grace period, then exits.",
    required: "The grace period starts anew with each line: it is not stopped.",
    sessions: ["result-then-more"],
    limits: "grace: 2s",
  }),
  ...inBothVoices({
    name: "stdout-held",
    proves: "P-14 P-40",
    about: "A grandchild holds the agent's output open after the agent has exited.",
    required: "The run does not wait for it; it is ended, and the claim counts.",
    sessions: ["stdout-held"],
    expected: { told: [LEFT_ONE] },
  }),
  ...inBothVoices({
    name: "stdout-held-unmarked",
    proves: "P-14",
    about: "A grandchild with an empty environment, in a session of its own, holds the agent's output open.",
    required: "It cannot be found by its mark; the run does not wait for it all the same.",
    sessions: ["stdout-held-unmarked"],
  }),
  ...inBothVoices({
    name: "setsid",
    proves: "P-40",
    about: "The agent leaves a process in a session of its own.",
    required: "It is found by its mark and ended before the gates run.",
    sessions: ["setsid"],
    expected: { told: [LEFT_ONE] },
  }),
  ...inBothVoices({
    name: "double-fork",
    proves: "P-40",
    about: "The agent leaves a daemon: forked twice, in a session of its own, its parents gone.",
    required: "It is found by its mark and ended before the gates run.",
    sessions: ["double-fork"],
    expected: { told: [LEFT_ONE] },
  }),
  trialCase({
    name: "fork-bomb",
    proves: "P-40",
    about: "The agent leaves 200 processes: some in sessions of their own, some deaf to SIGTERM.",
    required: "All of them are ended, and the claim counts.",
    sessions: ["fork-bomb"],
    expected: { told: ["It left 200 processes running, which were ended"] },
  }),
  ...inBothVoices({
    name: "silent-hang",
    proves: "P-14 P-20",
    about: "The agent claims, and then says nothing and does nothing for ever.",
    required: `It is stopped for its silence and has claimed nothing. ${GONE_ON}.`,
    sessions: ["silent-hang", "honest"],
    limits: "inactivity: 4s",
    expected: {
      outcomes: ["timed-out", "verified"],
      told: ["It said nothing for too long", "The agent was silent for too long and was stopped"],
    },
  }),
  ...inBothVoices({
    name: "never-pauses",
    proves: "P-14 P-20",
    about: "The agent claims, and then prints without a pause for ever.",
    required: `It is stopped when a session may last no longer and has claimed nothing. ${GONE_ON}.`,
    sessions: ["never-pauses", "honest"],
    limits: "attempt: 4s",
    expected: {
      outcomes: ["timed-out", "verified"],
      told: ["It took longer than a session may", "The session exceeded its time limit and was stopped"],
    },
  }),
  ...inBothVoices({
    name: "segfault",
    proves: "P-14 P-20",
    about: "The agent claims and dies of SIGSEGV.",
    required: `It has claimed nothing. ${GONE_ON}.`,
    sessions: ["segfault", "honest"],
    expected: {
      outcomes: ["crashed", "verified"],
      told: ["The agent ended with signal SIGSEGV and no result"],
    },
  }),
  trialCase({
    name: "segfault-after-result",
    proves: "P-14 P-20",
    about: "The agent gives its result and dies of SIGSEGV.",
    required: `The result does not hold: it has claimed nothing. ${GONE_ON}.`,
    sessions: ["segfault-after-result", "honest"],
    expected: {
      outcomes: ["crashed", "verified"],
      told: ["The agent gave its result, but ended with signal SIGSEGV"],
    },
  }),
];
