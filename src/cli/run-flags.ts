import type { Option } from "./command.ts";
import { SANDBOX_CHOICES } from "../domain/sandbox/sandbox.ts";
import { trustFlag } from "./trust-question.ts";
import { configFlag, scopeFlags } from "./flags.ts";

export const RUN_MODES = ["plan", "build", "auto"] as const;

const STRATEGIES = ["fixed", "cost-optimized", "escalate", "plan-then-execute"];

/** The same options under one heading of the help page. */
const under = (group: string, options: readonly Option[]): Option[] => options.map((option) => ({ ...option, group }));

const [projectFlag, ...otherScopeFlags] = scopeFlags;

/** The ten that people need first. */
const firstFlags = under("Most used", [
  { flags: "--task <id>", doc: "only this task", completes: "open-task", isRepeatable: true },
  { flags: "--file <file>", doc: "a file that says what to do", completes: "file" },
  projectFlag!,
  { flags: "--harness <name>", doc: "the agent; tried in order if several: claude,codex", completes: "harness" },
  { flags: "--model <name>", doc: "use this model in every iteration, and no other" },
  { flags: "--lanes <n>", doc: "how many agents work at once, each in a lane; auto: as the machine allows" },
  { flags: "--max-iterations <n>", doc: "stop after N iterations; 0 or unlimited: no limit" },
  { flags: "--max-time <duration>", doc: "stop after this long: 30m, 8h" },
  { flags: "--max-cost <usd>", doc: "stop after spending this many US dollars" },
  { flags: "--dry-run", doc: "show the first prompt, and start nothing" },
]);

const workFlags = under("What to work on", [
  ...otherScopeFlags,
  { flags: "--continue-ready", doc: "work on all ready changes, lowest id first; with --lanes at once" },
  { flags: "--fleet", doc: "let the workers of a fleet do it, and follow them; with --lanes, work here too" },
]);

const modelFlags = under("Models", [
  { flags: "--smart-model <name>", doc: "the model for the role smart" },
  { flags: "--fast-model <name>", doc: "the model for the role fast" },
  { flags: "--model-strategy <name>", doc: "how models are chosen", choices: STRATEGIES },
]);

const limitFlags = under("Limits", [
  { flags: "--min-iterations <n>", doc: "the earliest iteration whose claim may end the run" },
  { flags: "--max-tokens <n>", doc: "stop after N tokens" },
  { flags: "--max-attempts <n>", doc: "attempts before a task fails" },
  { flags: "--max-wait <duration>", doc: "longest wait for a usage limit" },
  { flags: "--timeout <duration>", doc: "kill an agent that is silent for this long" },
  { flags: "--error-threshold <n>", doc: "stop after N harness errors in a row" },
]);

const proofFlags = under("Proof", [
  { flags: "--validation-command <command>", doc: "an extra gate: a command that must exit with 0" },
  { flags: "--strict", doc: "refuse to start without a gate, and exit with 5 unless all work is proven" },
  { flags: "--accept-look", doc: "approve work that ralphctl asks you to look at" },
]);

const placeFlags = under("Where work goes", [
  {
    flags: "--sandbox <kind>",
    doc: "put agents and gates into a sandbox; auto: what works here",
    choices: [...SANDBOX_CHOICES],
  },
  { flags: "--branch <name>", doc: "work on this branch" },
  { flags: "--no-commit", doc: "land verified work, but leave the branch where it is" },
  { flags: "--in-place", doc: "work in your own files, which must be clean, instead of a lane" },
]);

const settingFlags = under("Prompt and settings", [
  { flags: "--completion-promise <word>", doc: "the word that promises completion" },
  { flags: "--preamble-template <file>", doc: "use your own preamble", completes: "file" },
  configFlag,
  trustFlag,
]);

export const outputFlags: readonly Option[] = under("Output", [
  { flags: "--json", doc: "print one event per line, as JSON" },
  { flags: "--plain", doc: "print plain lines with timestamps, as in a log" },
  { flags: "-q, --quiet", doc: "print only verdicts, problems and the summary" },
  { flags: "-v, --verbose", doc: "also print thinking, tool results and all notices" },
]);

const pageFlag = under("Output", [{ flags: "--ui", doc: "open the page of all runs in your browser, beside the run" }]);

const actFlags = under("Instead of a run", [
  { flags: "--add-context <text>", doc: "tell the next iteration something, and exit" },
  { flags: "--clear-context", doc: "remove all added context, and exit" },
  { flags: "--status", doc: "show the progress of the newest run, and exit" },
]);

export const runOptions: readonly Option[] = [
  ...firstFlags,
  ...workFlags,
  ...modelFlags,
  ...limitFlags,
  ...proofFlags,
  ...placeFlags,
  ...settingFlags,
  ...outputFlags,
  ...pageFlag,
  ...actFlags,
];

/** Flags that make no sense for one attended session. */
const OF_LOOPS =
  "max-iterations min-iterations max-time max-cost max-tokens max-wait timeout completion-promise error-threshold dry-run json plain ui continue-ready fleet".split(
    " ",
  );

/** For one attended session. */
export const stepOptions: readonly Option[] = runOptions.filter(
  (option) => option.group !== "Instead of a run" && !OF_LOOPS.some((name) => option.flags.startsWith(`--${name}`)),
);
