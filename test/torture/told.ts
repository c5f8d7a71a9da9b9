import type { RunEvent } from "../../src/domain/run/event.ts";
import type { TrialRun } from "./trial.ts";

/** What a run said beside its success, one line each, without what differs from time to time. */
export function toldBy(
  { events, stderr }: TrialRun,
  { folder, tasks }: { readonly folder: string; readonly tasks: readonly string[] },
): string[] {
  const hasFinished = events.some(({ type }) => type === "run.finished");
  // What only root is told depends on who plays the case.
  const said = events.flatMap(told).filter((text) => !text.includes("as root"));
  const alike = (text: string): string =>
    tasks
      .reduce((all, id, index) => all.replaceAll(id, `TASK-${index + 1}`), text)
      .replaceAll(folder, "FOLDER")
      .replaceAll(/\br-\d{8}-\d{6}-[0-9a-f]{4}\b/g, "RUN")
      .replaceAll(/\bprocess \d+/g, "process PID")
      .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
      // Which of our files is the first to find no room is up to the machine.
      .replace(/(?<=Cannot write )\S+(?=: (?:ENOSPC|EFBIG))/, "FILE");
  return [...said, ...(hasFinished ? [] : stderr.split("\n").slice(0, 1))].map(alike);
}

function told(event: RunEvent): string[] {
  if (event.type === "session.stopped") return [event.why];
  if (event.type === "protocol.broken") return [event.note];
  if (event.type === "run.notice" && event.level === "warning") return [event.text];
  if (event.type === "verdict.reached" && event.verdict !== "accepted") return [...event.reasons];
  if (event.type === "run.finished" && event.error !== undefined) return [`error: ${event.reason}`];
  if (event.type === "iteration.finished" && event.reason !== undefined) return [event.reason];
  return [];
}
