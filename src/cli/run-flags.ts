import type { Option } from "./command.ts";
import { configFlag, scopeFlags } from "./flags.ts";

export const RUN_MODES = ["plan", "build", "auto"] as const;

const STRATEGIES = ["fixed", "cost-optimized", "escalate", "plan-then-execute"];

/** Limits and settings of a loop. */
const loopFlags: readonly Option[] = [
  { flags: "--harness <name>", doc: "the agent; tried in order if several: claude,codex", completes: "harness" },
  { flags: "--model <name>", doc: "use this model in every iteration, and no other" },
  { flags: "--smart-model <name>", doc: "the model for the role smart" },
  { flags: "--fast-model <name>", doc: "the model for the role fast" },
  { flags: "--model-strategy <name>", doc: "how models are chosen", choices: STRATEGIES },
  { flags: "--max-iterations <n>", doc: "stop after N iterations; 0 or unlimited: no limit" },
  { flags: "--min-iterations <n>", doc: "the earliest iteration whose claim may end the run" },
  { flags: "--max-time <duration>", doc: "stop after this long: 30m, 8h" },
  { flags: "--max-cost <usd>", doc: "stop after spending this many US dollars" },
  { flags: "--max-tokens <n>", doc: "stop after N tokens" },
  { flags: "--max-attempts <n>", doc: "attempts before a task fails" },
  { flags: "--max-wait <duration>", doc: "longest wait for a usage limit" },
  { flags: "--timeout <duration>", doc: "kill an agent that is silent for this long" },
  { flags: "--completion-promise <word>", doc: "the word that promises completion" },
  { flags: "--error-threshold <n>", doc: "stop after N harness errors in a row" },
  { flags: "--validation-command <command>", doc: "an extra gate: a command that must exit with 0" },
  { flags: "--strict", doc: "refuse to start without a gate, and exit with 5 unless all work is proven" },
  { flags: "--accept-look", doc: "approve work that ralphctl asks you to look at" },
  { flags: "--no-commit", doc: "land verified work, but leave the branch where it is" },
  { flags: "--lanes <n>", doc: "how many agents work at once, each in a lane; auto: as the machine allows" },
  { flags: "--in-place", doc: "work in your own files, which must be clean, instead of a lane" },
  { flags: "--branch <name>", doc: "work on this branch" },
  { flags: "--preamble-template <file>", doc: "use your own preamble", completes: "file" },
  { flags: "--dry-run", doc: "show the first prompt, and start nothing" },
  configFlag,
];

const workFlags: readonly Option[] = [
  { flags: "--file <file>", doc: "a file that says what to do", completes: "file" },
  { flags: "--task <id>", doc: "only this task", completes: "open-task", isRepeatable: true },
  ...scopeFlags,
];

export const outputFlags: readonly Option[] = [
  { flags: "--json", doc: "print one event per line, as JSON" },
  { flags: "--plain", doc: "print plain lines with timestamps, as in a log" },
  { flags: "-q, --quiet", doc: "print only verdicts, problems and the summary" },
  { flags: "-v, --verbose", doc: "also print thinking, tool results and all notices" },
];

/** Flags that make no sense for one attended session. */
const OF_LOOPS = [
  "max-iterations",
  "min-iterations",
  "max-time",
  "max-cost",
  "max-tokens",
  "max-wait",
  "timeout",
].concat(["completion-promise", "error-threshold", "dry-run", "json", "plain"]);

/** For one attended session. */
export const stepOptions: readonly Option[] = [
  ...workFlags,
  ...[...loopFlags, ...outputFlags].filter(({ flags }) => !OF_LOOPS.some((name) => flags.startsWith(`--${name}`))),
];

export const runOptions: readonly Option[] = [
  ...workFlags,
  { flags: "--continue-ready", doc: "work on all ready changes, lowest id first; with --lanes at once" },
  ...loopFlags,
  ...outputFlags,
  { flags: "--add-context <text>", doc: "tell the next iteration something, and exit" },
  { flags: "--clear-context", doc: "remove all added context, and exit" },
  { flags: "--status", doc: "show the progress of the newest run, and exit" },
];
