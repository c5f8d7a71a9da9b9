import type { CheckedGate, RecordedVerdict, VerifyReport } from "../app/verify.ts";
import type { Redactor } from "../domain/redact.ts";
import { AS_THEY_LAY } from "../domain/strength.ts";
import { isoTime } from "../domain/task-json.ts";
import { plural, listSome } from "./run-text.ts";
import { timeText } from "./task-text.ts";

/** The verdict in one line, and below it the recorded verdict of the task. */
export function verdictText(report: VerifyReport): string {
  const { task, recorded } = report;
  const verdict = [sentenceOf(report), ...facts(report), ...(report.isOnLane ? [AS_THEY_LAY] : [])].join(" · ");
  return [verdict, ...(task === undefined ? [] : [recordedText(task.id, recorded)]), ""].join("\n");
}

function sentenceOf({ verdict, setup, gates }: VerifyReport): string {
  if (verdict === "interrupted") return "Undecided: interrupted";
  if (setup?.passed === false) return "Not verified: preparing the checkout failed";
  const red = gates.filter(({ passed }) => !passed).map(({ id }) => id);
  if (red.length === 0) return `Verified: ${plural(gates.length, "gate")} passed`;
  return `Not verified: ${red.length} of ${plural(gates.length, "gate")} failed: ${listSome(red, 10)}`;
}

const facts = ({ tree, commit }: Pick<RecordedVerdict, "tree" | "commit">): string[] => [
  `tree ${tree.slice(0, 10)}`,
  commit === undefined ? "no commit yet" : `on commit ${commit.slice(0, 10)}`,
];

function recordedText(id: string, recorded: RecordedVerdict | undefined): string {
  if (recorded === undefined) return `${id} was never verified`;
  const { attempt, gates } = recorded;
  const when = timeText(attempt.endedAt ?? attempt.startedAt);
  const names = gates.map(({ gate }) => gate);
  const by = names.length === 0 ? "without a gate" : `by ${listSome(names, 10)}`;
  return [
    `${id} was verified ${when} ${by}`,
    ...facts(recorded),
    ...(ranOnLane(recorded) ? [AS_THEY_LAY] : []),
    ...(attempt.run === undefined ? [] : [`run ${attempt.run}`]),
  ].join(" · ");
}

/** T-02 */
const ranOnLane = ({ gates }: Pick<RecordedVerdict, "gates">): boolean =>
  gates.some(({ isOnLane }) => isOnLane === true);

/** As JSON, with secrets of the environment redacted. */
export const verifyJson = (report: VerifyReport, redact: Redactor): unknown => ({
  version: 1,
  verdict: report.verdict,
  place: report.place,
  ...(report.isOnLane && { isOnLane: true }),
  tree: report.tree,
  commit: report.commit ?? null,
  task: report.task?.id ?? null,
  setup: report.setup === undefined ? null : gateJson(report.setup, redact),
  gates: report.gates.map((gate) => gateJson(gate, redact)),
  notices: report.notices,
  recorded: report.recorded === undefined ? null : recordedJson(report.recorded),
});

const gateJson = (gate: CheckedGate, redact: Redactor): unknown => ({ ...gate, output: redact(gate.output) });

const recordedJson = ({ attempt, tree, commit, gates }: RecordedVerdict): unknown => ({
  run: attempt.run ?? null,
  iteration: attempt.iteration ?? null,
  at: isoTime(attempt.endedAt ?? attempt.startedAt),
  tree,
  commit: commit ?? null,
  ...(ranOnLane({ gates }) && { isOnLane: true }),
  gates: gates.map(({ gate, kind, command, passed }) => ({ id: gate, kind, command, passed })),
});
