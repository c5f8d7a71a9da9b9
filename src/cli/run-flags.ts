import type { Option } from "./command.ts";
import { configFlag, scopeFlags } from "./flags.ts";

export const RUN_MODES = ["plan", "build", "auto"] as const;

const STRATEGIES = ["fixed", "cost-optimized", "escalate", "plan-then-execute"];

/** What bounds a loop and drives it. */
const loopFlags: readonly Option[] = [
  { flags: "--harness <name>", doc: "the agent; several in order: claude,codex", completes: "harness" },
  { flags: "--model <name>", doc: "this model in every iteration" },
  { flags: "--smart-model <name>", doc: "the model for the role smart" },
  { flags: "--fast-model <name>", doc: "the model for the role fast" },
  { flags: "--model-strategy <name>", doc: "how models are chosen", choices: STRATEGIES },
  { flags: "--max-iterations <n>", doc: "end after so many" },
  { flags: "--min-iterations <n>", doc: "the first iteration whose claim may end the run" },
  { flags: "--max-time <duration>", doc: "end after so long: 30m, 8h" },
  { flags: "--max-cost <usd>", doc: "end after so many US dollars" },
  { flags: "--max-tokens <n>", doc: "end after so many tokens" },
  { flags: "--max-attempts <n>", doc: "attempts before a task is failed" },
  { flags: "--max-wait <duration>", doc: "longest wait for a usage limit" },
  { flags: "--timeout <duration>", doc: "longest silence of an agent" },
  { flags: "--completion-promise <word>", doc: "the word to promise completion with" },
  { flags: "--error-threshold <n>", doc: "harness errors in a row that end the run" },
  { flags: "--validation-command <command>", doc: "one more gate, which must exit with 0" },
  { flags: "--strict", doc: "do not start without a gate" },
  { flags: "--no-commit", doc: "leave verified work uncommitted" },
  { flags: "--allow-dirty", doc: "go on although files differ from HEAD; ralphctl never commits them" },
  { flags: "--branch <name>", doc: "work on this branch" },
  { flags: "--preamble-template <file>", doc: "a preamble of your own", completes: "file" },
  { flags: "--dry-run", doc: "show what would be sent first, and start nothing" },
  configFlag,
];

export const outputFlags: readonly Option[] = [
  { flags: "--json", doc: "print one event per line, as JSON" },
  { flags: "--plain", doc: "print plain lines with the time, as in a log" },
  { flags: "-q, --quiet", doc: "print only verdicts, problems and the summary" },
  { flags: "-v, --verbose", doc: "also print thinking, tool results and all notices" },
];

/** What makes no sense for one session that a person attends. */
const OF_LOOPS = [
  "max-iterations",
  "min-iterations",
  "max-time",
  "max-cost",
  "max-tokens",
  "max-wait",
  "timeout",
].concat(["completion-promise", "error-threshold", "dry-run", "json", "plain"]);

/** The same for one session that a person attends. */
export const stepOptions: readonly Option[] = [
  { flags: "--file <file>", doc: "what to do, in a file", completes: "file" },
  { flags: "--task <id>", doc: "only this task", completes: "open-task", isRepeatable: true },
  ...scopeFlags,
  ...[...loopFlags, ...outputFlags].filter(({ flags }) => !OF_LOOPS.some((name) => flags.startsWith(`--${name}`))),
];

export const runOptions: readonly Option[] = [
  { flags: "--file <file>", doc: "what to do, in a file", completes: "file" },
  { flags: "--task <id>", doc: "only this task", completes: "open-task", isRepeatable: true },
  ...scopeFlags,
  { flags: "--continue-ready", doc: "work through all changes that are ready, lowest id first" },
  ...loopFlags,
  ...outputFlags,
  { flags: "--add-context <text>", doc: "tell the next iteration something, and exit" },
  { flags: "--clear-context", doc: "forget what was told, and exit" },
  { flags: "--status", doc: "show what the newest run has done so far, and exit" },
];
