import type { CleanTask, TaskPatch } from "../domain/task-input.ts";
import { listColumn, type Row } from "./rows.ts";

/** The columns that come from the task itself, not from others. */
export const SAID_COLUMNS = [
  "scope",
  "priority",
  "retry",
  "attempts",
  "attempt_limit",
  "started_at",
  "ended_at",
  "allow_no_change",
  "keeps_work",
  "may_change",
  "title",
  "model",
  "tags",
  "acceptance",
  "gates",
  "source_file",
  "source_key",
  "question",
  "reason",
  "summary",
  "description",
] as const;

/** The values of `SAID_COLUMNS`, in their order. */
export const saidBy = (task: CleanTask): Row[string][] => [
  task.scope,
  task.priority,
  task.retry ? 1 : 0,
  task.attempts,
  task.attemptLimit ?? null,
  task.startedAt ?? null,
  task.endedAt ?? null,
  task.allowNoChange ? 1 : 0,
  task.keepsWork ? 1 : 0,
  listColumn(task.mayChange),
  task.title,
  task.model ?? null,
  listColumn(task.tags),
  listColumn(task.acceptance),
  listColumn(task.gates),
  task.source?.file ?? null,
  task.source?.key ?? null,
  task.question ?? null,
  task.reason ?? null,
  task.summary ?? null,
  task.description,
];

/** The columns that an edit changes. */
export function columnsOf(patch: TaskPatch): [column: string, value: Row[string]][] {
  const columns: [string, Row[string] | undefined][] = [
    ["title", patch.title],
    ["description", patch.description],
    ["acceptance", patch.acceptance && listColumn(patch.acceptance)],
    ["priority", patch.priority],
    ["tags", patch.tags && listColumn(patch.tags)],
    ["gates", patch.gates && listColumn(patch.gates)],
    ["model", patch.model],
    ["keeps_work", patch.keepsWork === undefined ? undefined : Number(patch.keepsWork)],
    ["allow_no_change", patch.allowNoChange === undefined ? undefined : Number(patch.allowNoChange)],
    ["may_change", patch.mayChange && listColumn(patch.mayChange)],
    ["attempt_limit", patch.attemptLimit],
    ["summary", patch.summary],
    ["source_file", patch.source === undefined ? undefined : (patch.source?.file ?? null)],
    ["source_key", patch.source === undefined ? undefined : (patch.source?.key ?? null)],
    ["scope", patch.scope],
  ];
  return columns.filter((column): column is [string, Row[string]] => column[1] !== undefined);
}
