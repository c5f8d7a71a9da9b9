import { namesInLine } from "./verdict-report.ts";
import type { Gate, GateResult } from "./gate.ts";
import { printable } from "./printable.ts";
import { oneLine } from "./prompt/foreign-text.ts";
import { scopeFlag } from "./scope-name.ts";
import { shellWord } from "./shell-word.ts";
import type { Task, TaskGate } from "./task.ts";
import { rejectionReport } from "./verdict-report.ts";

/** A gate that has to hold on a commit. */
export interface Check {
  readonly gate: Gate;
  /** The task that it is about; undefined for a gate of the workspace. */
  readonly task: Task | undefined;
}

/** A commit as people see it. */
export interface NamedCommit {
  readonly id: string;
  readonly author: string;
  readonly subject: string;
}

/** T-30: a gate that was red, and what came out about it. */
export interface DecayFinding {
  readonly check: Check;
  /** The last time that it was red on the newest commit. */
  readonly result: GateResult;
  readonly kind: "broken" | "one of" | "inherited" | "surroundings" | "flaky" | "unchecked" | "known" | "not searched";
  /** The culprit; otherwise the commit that the kind is about. */
  readonly commit?: NamedCommit | undefined;
  /** Commits of which one is the culprit. */
  readonly candidates: readonly NamedCommit[];
  /** Commits that the search skipped, because they cannot be checked. */
  readonly skipped: readonly NamedCommit[];
  /** Why the search did not go further back. */
  readonly end?: "first commit" | "shallow" | "since" | "long" | undefined;
  /** The task whose commit it is, or that is open because of it. */
  readonly culprit?: Pick<Task, "id" | "title"> | undefined;
  /** `again`: the task was reopened for the same commit before, so a person is needed. */
  readonly action: "reopened" | "open" | "again" | "proposed" | "none";
}

/** Flaky gates hold, although nobody should rely on them. */
export const isBroken = ({ kind }: DecayFinding): boolean => kind !== "flaky";

/** Names a gate's work across commits and runs. */
export const checkName = ({
  gate,
  task,
}: {
  readonly gate: Pick<Gate, "kind" | "run">;
  readonly task: Pick<Task, "id"> | undefined;
}): string => (gate.kind === "task" && task !== undefined ? `${task.id} ${gate.run}` : gate.run);

/** `Gate own of t-1a2b3c4d (Log in)` */
export const describeCheck = ({ gate, task }: Check): string =>
  `Gate ${line(gate.id)}${gate.isAgents === true ? ", written by an agent," : ""}${task === undefined ? "" : ` of ${task.id} (${line(task.title)})`}`;

const line = (text: string): string => printable(oneLine(text));

const short = ({ id }: NamedCommit): string => id.slice(0, 10);

const list = (commits: readonly NamedCommit[]): string => namesInLine(commits.map(short), 10);

/** One sentence, without a full stop. */
export function describeFinding(finding: DecayFinding): string {
  const { check, skipped } = finding;
  const skippedText = skipped.length === 0 ? "" : `; skipped ${list(skipped)}, which cannot be checked`;
  return `${describeCheck(check)} ${predicate(finding)}${skippedText}`;
}

function predicate(finding: DecayFinding): string {
  const { kind, candidates, culprit, end } = finding;
  const commit = finding.commit === undefined ? "the last commit" : short(finding.commit);
  if (kind === "broken") return `fails since ${commit} (${line(finding.commit?.subject ?? "")})${blame(finding)}`;
  if (kind === "one of") return `fails since one of these commits: ${list(candidates)}`;
  if (kind === "known") return `fails since ${commit}, and ${culprit?.id} is open because of it`;
  if (kind === "inherited") return `fails at or before ${commit}${end === undefined ? "" : INHERITED[end]}`;
  if (kind === "surroundings") return `fails on the files of ${commit}, on which it passed before: ${OUTSIDE}`;
  if (kind === "flaky") return `is flaky: it failed and passed on the files of ${commit}`;
  return kind === "unchecked" ? "fails, so nothing can be checked" : `fails. ${NOT_SEARCHED}`;
}

const OUTSIDE = "something outside the repository changed";
const NOT_SEARCHED = "Older commits were not searched, because verify.in is tree";

const INHERITED = {
  "first commit": ", the first commit: inherited",
  since: ", where the search begins: inherited",
  shallow: ", where the history of this shallow clone ends",
  long: ", where the search ends",
} as const;

function blame({ culprit, action, commit }: DecayFinding): string {
  if (culprit === undefined) return ` by ${line(commit?.author ?? "")}`;
  if (action === "reopened") return `, a commit of ${culprit.id}: reopened`;
  if (action === "open") return `, a commit of ${culprit.id}, which is open`;
  if (action === "again") return `, a commit of ${culprit.id}, which was reopened for that before`;
  return `, a commit of ${culprit.id}`;
}

/** For the next session of the task. */
export function reopenReason(broken: readonly Pick<DecayFinding, "check" | "result" | "commit">[]): string {
  const names = broken.map(({ check, commit }) => `- ${describeCheck(check)}, by commit ${commit && short(commit)}`);
  const output = rejectionReport(broken.map(({ result }) => ({ kind: "gate", result })));
  const told = `The work of this task broke checks that passed before it:\n${names.join("\n")}`;
  return `${told}\n\nMake them pass again, and keep the work of the task.\n\n${output}`;
}

/** A reopened task also has to pass the gates of other tasks that it broke: otherwise it could be done and still break them. */
export function gatesWithBroken(
  task: Pick<Task, "id" | "gates">,
  broken: readonly Pick<Check, "gate" | "task">[],
): TaskGate[] {
  const gates = [...task.gates];
  for (const { gate, task: victim } of broken) {
    const isOwn = gate.kind !== "task" || victim === undefined || victim.id === task.id;
    if (isOwn || gates.some(({ run }) => run === gate.run)) continue;
    const { timeoutMs, retries, run } = gate;
    gates.push({ id: gateIdFor(victim.id, gate.id), run, timeoutMs, retries });
  }
  return gates;
}

const LONGEST_ID = 64;

const gateIdFor = (task: string, gate: string): string => `${task}.${gate}`.slice(0, LONGEST_ID);

/** The command that adds a task for a break, if only a person can decide about it. */
export function proposal({ check, kind, commit, candidates, action }: DecayFinding): string | undefined {
  const isPersons = (kind === "broken" && (action === "proposed" || action === "again")) || kind === "one of";
  if (!isPersons) return undefined;
  const { gate, task } = check;
  const who = commit !== undefined && kind === "broken" ? short(commit) : `one of ${list(candidates)}`;
  const title = `Mend the gate ${line(gate.id)}${task === undefined ? "" : ` of ${task.id}`}, which ${who} broke`;
  const own =
    gate.kind === "task" && task !== undefined
      ? ` --gate ${shellWord(`${gateIdFor(task.id, gate.id)}=${gate.run}`)}`
      : "";
  return `ralphctl task add${scopeFlag(task?.scope)} ${shellWord(title)}${own}`;
}
