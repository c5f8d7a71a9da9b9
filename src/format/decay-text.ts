import { outputOf, type OnProgress, type VerifyAllReport } from "../app/verify-all.ts";
import {
  describeCheck,
  describeFinding,
  type DecayFinding,
  isBroken,
  type NamedCommit,
  proposal,
} from "../domain/decay.ts";
import { printable, printableLine } from "../domain/printable.ts";
import type { Redactor } from "../domain/redact.ts";
import { AS_THEY_LAY } from "../domain/strength.ts";
import { outputEnd } from "./gate-lines.ts";
import { plural } from "./run-text.ts";

/** What `verify --all` found, and its verdict in the last line. */
export function decayText(report: VerifyAllReport, redact: Redactor): string {
  const { elsewhere, findings } = report;
  const lines = findings.flatMap((finding) => findingLines(finding, redact));
  const others = elsewhere.map(
    ({ id, title }) => `${id} (${printableLine(title)}) landed, but not in the history of HEAD: not checked`,
  );
  return [...lines, ...others, verdictLine(report), ""].join("\n");
}

function findingLines(finding: DecayFinding, redact: Redactor): string[] {
  const command = proposal(finding);
  const output = isBroken(finding) ? outputEnd(redact(outputOf(finding.result))) : [];
  return [describeFinding(finding), ...output, ...(command === undefined ? [] : [`  ${printable(command)}`])];
}

function verdictLine({ verdict, checks, tasks, commit, findings, isOnLane }: VerifyAllReport): string {
  const broken = findings.filter(isBroken).length;
  const flaky = findings.length - broken;
  const said = {
    holds: `Everything holds: ${plural(checks, "check")} passed`,
    broken: `Not everything holds: ${broken} of ${plural(checks, "check")} failed`,
    interrupted: "Undecided: interrupted, and nothing was changed",
  }[verdict];
  const more = flaky === 0 ? [] : [`${flaky} flaky`];
  const where = [`on commit ${commit.slice(0, 10)}`, ...(isOnLane ? [AS_THEY_LAY] : [])];
  return [said, ...more, `${plural(tasks, "task")} done`, ...where].join(" · ");
}

/** A line that the next one replaces. */
export function progressText(step: Parameters<OnProgress>[0]): string {
  const what = describeCheck(step.check);
  if (step.kind === "check") return `Checking ${step.number} of ${step.of}: ${what} …`;
  return `Searching since when it fails: ${what} on ${step.commit.slice(0, 10)} …`;
}

/** As JSON, with secrets of the environment redacted. */
export const decayJson = (report: VerifyAllReport, redact: Redactor): unknown => ({
  version: 1,
  verdict: report.verdict,
  commit: report.commit,
  tree: report.tree,
  ...(report.isOnLane && { isOnLane: true }),
  since: report.since ?? null,
  tasks: report.tasks,
  checks: report.checks,
  findings: report.findings.map((finding) => findingJson(finding, redact)),
  elsewhere: report.elsewhere.map(({ id }) => id),
  notices: report.notices,
});

function findingJson(finding: DecayFinding, redact: Redactor): unknown {
  const { check, kind, commit, candidates, skipped, culprit, action, result } = finding;
  return {
    gate: check.gate.id,
    kind: check.gate.kind,
    command: check.gate.run,
    task: check.task?.id ?? null,
    finding: kind,
    commit: commit === undefined ? null : commitJson(commit),
    candidates: candidates.map(commitJson),
    skipped: skipped.map(commitJson),
    culprit: culprit?.id ?? null,
    action,
    proposal: proposal(finding) ?? null,
    text: describeFinding(finding),
    output: redact(outputOf(result)),
  };
}

const commitJson = ({ id, author, subject }: NamedCommit): unknown => ({ id, author, subject });
