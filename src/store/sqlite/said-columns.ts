import type { CleanTask } from "../../domain/task-input.ts";
import type { SqliteValue } from "../../system/sqlite-driver.ts";
import { listColumn } from "./rows.ts";

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
export const saidBy = (task: CleanTask): SqliteValue[] => [
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
