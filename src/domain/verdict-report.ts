import type { GateEnd, GateResult, GateRun } from "./gate.ts";
import { plainOutput } from "./plain-output.ts";
import { printable } from "./printable.ts";
import { cutMiddle } from "./prompt/cut.ts";
import { oneLine } from "./prompt/foreign-text.ts";
import type { TaskId } from "./task.ts";
import type { Uncommittable, UncommittableKind } from "./uncommittable.ts";
import type { Reason } from "./verdict.ts";

/** How much of all outputs together an agent is sent. */
const OUTPUT_BUDGET = 32 * 1024;
const MAX_PATHS = 20;

/** Why a claim was rejected, for the next prompt. Bounded: much output of many gates is cut, each to its share. */
export function rejectionReport(reasons: readonly Reason[]): string {
  const gates = reasons.filter(({ kind }) => kind === "gate").length;
  return reasons.map((reason) => explain(reason, Math.floor(OUTPUT_BUDGET / Math.max(gates, 1)))).join("\n\n");
}

/** One line that says why, for people and lists. `task`: the one that the reason is about. */
export function describeReason(reason: Reason, task: TaskId): string {
  if (reason.kind === "gate") {
    return `gate ${oneLine(reason.result.gate.id)}: ${describeLast(reason.result.runs)}`;
  }
  if (reason.kind === "protected") {
    return `the agent changed protected files: ${namesInLine(reason.paths)}${toAllow(task)}`;
  }
  if (reason.kind === "uncommittable") {
    const grant = reason.found.some(isGrantable) ? toAllow(task) : "";
    return `these changes cannot or should not be committed: ${namesInLine(reason.found.map(describeUncommittable))}${grant}`;
  }
  if (reason.kind === "no change") return noChange(reason);
  return `the agent changed tests: ${namesInLine(reason.paths)} (${reason.why})${toAllow(task)}`;
}

const toAllow = (task: TaskId): string => `. To allow it: ralphctl task allow ${task}`;

/** The files that a person can allow a task to change, so that it is not rejected because of them. */
export const allowable = (reasons: readonly Reason[]): string[] => [...new Set(reasons.flatMap(allowablePaths))];

function allowablePaths(reason: Reason): readonly string[] {
  if (reason.kind === "uncommittable") return reason.found.filter(isGrantable).map(({ path }) => path);
  return reason.kind === "protected" || reason.kind === "tests" ? reason.paths : [];
}

/** `big.bin (it is larger than 5MB)` */
export const describeUncommittable = ({ path, why }: Uncommittable): string => `${path} (${why})`;

const isGrantable = ({ kind }: Uncommittable): boolean => kind !== "conflict";

/** The first of many: `a, b and 3 more`. */
export const namesInLine = (names: readonly string[], most = MAX_PATHS): string => {
  const shown = names.slice(0, most).map((name) => printable(oneLine(name)));
  return `${shown.join(", ")}${names.length > most ? ` and ${names.length - most} more` : ""}`;
};

/** That green gates alone prove nothing of a session without changes; a sentence that does not begin. */
export function noChange({ dropped, isUngated }: Omit<NoChange, "kind">): string {
  const begin = isUngated === true ? "there is no gate, and" : "the gates pass, but";
  return `${begin} the agent changed ${onlyChanged(dropped)}`;
}

type NoChange = Extract<Reason, { readonly kind: "no change" }>;

/** The end of a sentence about an agent that changed no files that count. */
const onlyChanged = (dropped: readonly string[] = []): string =>
  dropped.length === 0 ? "nothing" : `only specs or prompts, which sessions cannot change (${namesInLine(dropped)})`;

function explain(reason: Reason, budget: number): string {
  if (reason.kind === "gate") return explainGate(reason.result, budget);
  if (reason.kind === "protected") {
    return [
      "These protected files were changed or deleted. Restore them:",
      list(reason.paths),
      "If the task cannot be done without that change, say so: a person can allow it.",
    ].join("\n");
  }
  if (reason.kind === "no change") {
    const begin = reason.isUngated === true ? "Ralph has no gate to run, and" : "All gates pass, but";
    return `${begin} the session changed ${onlyChanged(reason.dropped)}. Do the work, or say what proves that it was already done.`;
  }
  if (reason.kind === "uncommittable") return explainUncommittable(reason.found);
  return [
    `These tests were there before and must stay as they were (${reason.why}):`,
    list(reason.paths),
    "Restore them, and change the code so that they pass. New tests are welcome.",
  ].join("\n");
}

function explainUncommittable(found: readonly Uncommittable[]): string {
  const remedies = [...new Set(found.map(({ kind }) => REMEDIES[kind]))];
  const grant =
    "If they must stay as they are, say so: a person can list paths in `commit.allow` of .ralph/config.yaml.";
  return [
    "The gates ran with these changes, but they cannot or should not be committed, so the work is not proven:",
    list(found.map(describeUncommittable)),
    ...remedies,
    ...(found.some(isGrantable) ? [grant] : []),
  ].join("\n");
}

const REMEDIES: Readonly<Record<UncommittableKind, string>> = {
  ignored:
    "Ignored: take the ignore rule back so that the files are committed. If a build makes them, keep the rule and delete the files; a gate that needs them must build them.",
  nested:
    "Nested repository: delete its `.git` so that its files are committed, or remove it. In a submodule, commit and push the changes there, or restore its files.",
  pointer: "Submodule: push its commit to its remote, or go back to the commit that the base has.",
  large: "Too large: delete the file or make it smaller. A script can create or download it when it is needed.",
  secret: "Secret: delete the file. An example without real values can have a name such as `.env.example`.",
  link: "Link: let it point inside the workspace, or delete it.",
  conflict: "Conflict markers: resolve the conflict. In Markdown, put an example into a code fence.",
};

function explainGate({ gate, runs }: GateResult, budget: number): string {
  const last = runs.at(-1);
  const times = runs.length > 1 ? `, ${runs.length} times in a row` : "";
  const lines = [
    `Gate \`${oneLine(gate.id)}\` failed: ${describeLast(runs)}${times}`,
    `Command: ${printable(oneLine(gate.run))}`,
  ];
  const advice = last === undefined ? "" : (ADVICE[last.end.kind] ?? "");
  const output = last === undefined ? "" : explainOutput(last, budget);
  return [...lines, advice, output].filter((line) => line !== "").join("\n");
}

const ADVICE: Partial<Record<GateEnd["kind"], string>> = {
  "no tests":
    "Without your work it runs tests. Find out why it finds none now: a moved file, a changed setting, a filter.",
  wrote:
    "It exits with 0, but only after it has changed files, so it does not pass on your work as it is. Run it, look at its changes and keep them; files that nobody should commit belong in .gitignore.",
};

function describeLast(runs: readonly GateRun[]): string {
  const last = runs.at(-1);
  return last === undefined ? "did not run" : describeEnd(last.end);
}

/** `exit code 1`, `timed out after 600 s`: completes a sentence about how a gate failed. */
export function describeEnd(end: GateEnd): string {
  if (end.kind === "exit") return `exit code ${end.code}${EXIT_HINTS[end.code] ?? ""}`;
  if (end.kind === "signal") return `killed by ${end.signal}`;
  if (end.kind === "timeout") return `timed out after ${end.afterMs / 1000} s`;
  if (end.kind === "no tests") return "it ran no tests";
  if (end.kind === "wrote") return `it changes these files: ${namesInLine(end.files)}`;
  return end.kind === "flood" ? `more than ${end.limitBytes} bytes of output` : "stopped";
}

const EXIT_HINTS: Readonly<Record<number, string>> = {
  126: " (the program is not executable)",
  127: " (no such program)",
};

function explainOutput({ output }: GateRun, budget: number): string {
  const head = plainOutput(output.head).trimEnd();
  const tail = plainOutput(output.tail).trim();
  if (head === "" && tail === "") return "No output.";
  const isCut = tail !== "";
  const shown = isCut
    ? `${head.slice(0, Math.floor(budget / 4))}\n[… middle omitted, ${output.bytes} bytes in total …]\n${lastOf(tail, Math.floor((budget * 3) / 4))}`
    : cutMiddle(head, budget);
  const fence = "`".repeat(Math.max(3, longestTicks(shown) + 1));
  return `Output:\n${fence}\n${shown}\n${fence}`;
}

const lastOf = (text: string, length: number): string => (text.length <= length ? text : text.slice(-length));

const longestTicks = (text: string): number => Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));

const list = (names: readonly string[]): string => {
  const shown = names.slice(0, MAX_PATHS).map((name) => `- ${printable(oneLine(name))}`);
  return [...shown, ...(names.length > MAX_PATHS ? [`- and ${names.length - MAX_PATHS} more`] : [])].join("\n");
};

/** P-24: what was red before the first attempt, one line each, for the agent and for the person. */
export const baselineReport = (results: readonly GateResult[]): string[] =>
  results
    .filter(({ passed }) => !passed)
    .map(({ gate, runs }) => `Gate \`${oneLine(gate.id)}\` failed before any work began: ${describeLast(runs)}`);
