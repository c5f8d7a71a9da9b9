import { isMapping } from "./mapping.ts";
import { RalphError } from "./error.ts";
import { closestMatch } from "./closest-match.ts";
import type { NewTask } from "./task-input.ts";
import { type Task, type TaskGate, type TaskStatus, taskStatuses } from "./task.ts";

/**
 * One task as one line of JSON, for files under version control. Keys stand in a fixed order, `needs` are sorted, what
 * is empty is left out, times are ISO 8601 in UTC. Leases are not written: a task in progress is pending for everyone
 * who reads the file. A parent's status is written for people and ignored when read: it follows from its children.
 */
export function taskToLine(task: Task): string {
  const { isParent, status } = task;
  const line: Record<keyof NewTask, unknown> = {
    id: task.id,
    scope: task.scope,
    parent: task.parent,
    title: task.title,
    description: task.description || undefined,
    acceptance: filled(task.acceptance),
    priority: task.priority,
    status: status === "in_progress" ? "pending" : status,
    needs: filled([...task.needs].sort()),
    tags: filled(task.tags),
    gates: filled(task.gates.map(gateInOrder)),
    model: task.model,
    allowNoChange: task.allowNoChange || undefined,
    keepsWork: task.keepsWork || undefined,
    mayChange: filled(task.mayChange),
    attempts: task.attempts || undefined,
    attemptLimit: task.attemptLimit,
    retry: (!isParent && status === "failed" && task.retry) || undefined,
    summary: task.summary,
    source: task.source && { file: task.source.file, key: task.source.key },
    question: task.question,
    reason: task.reason,
    createdAt: time(task.createdAt),
    updatedAt: time(task.updatedAt),
    startedAt: time(task.startedAt),
    endedAt: time(task.endedAt),
  };
  return JSON.stringify(line);
}

const filled = <Item>(list: readonly Item[]): readonly Item[] | undefined => (list.length === 0 ? undefined : list);

const gateInOrder = ({ id, run, timeoutMs, retries }: TaskGate): TaskGate => ({ id, run, timeoutMs, retries });

const time = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString();

export interface LineRules {
  /** What a line without a scope belongs to; without this, a line must name one. */
  readonly scope?: string | undefined;
  readonly needsId: boolean;
}

/** Derived fields of `task list --json`: accepted and ignored. */
const DERIVED = new Set(["ready", "blocked", "isParent", "lease"]);

/** Reads a line. Throws a `RalphError` that names the line, and the column or the field. */
export function lineToTask(text: string, line: number, rules: LineRules): NewTask {
  const value = parsed(text, line);
  if (!isMapping(value)) throw fault(line, "a task must be a JSON object", 'Write it like {"id": "t-1", "title": "…"}');
  const task: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const read = READERS.get(name);
    if (read !== undefined) task[name] = value[name] === null ? undefined : read(value[name], name, line);
    else if (!DERIVED.has(name)) throw unknownField(line, name);
  }
  if (task["title"] === undefined) throw fault(line, '"title" is missing', "Give the task a title");
  if (task["id"] === undefined && rules.needsId) {
    throw fault(line, '"id" is missing', "Give it an id, or add it with ralphctl task add -");
  }
  task["scope"] ??= rules.scope;
  if (task["scope"] === undefined) throw fault(line, '"scope" is missing', 'Write "scope": "workspace"');
  // Every member was read by the reader of its name.
  return task as unknown as NewTask;
}

/** Gives the value back as the field needs it, or throws. */
type Read = (value: unknown, name: string, line: number) => unknown;

const only =
  (isRight: (value: unknown) => boolean, what: string): Read =>
  (value, name, line) => {
    if (isRight(value)) return value;
    throw wrong({ name, line }, what);
  };

const words = only((value) => typeof value === "string", "a string");
const number = only((value) => typeof value === "number", "a number");
const yesNo = only((value) => typeof value === "boolean", "true or false");
const texts = only(
  (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  "a list of strings",
);

/** In progress is pending for everyone who reads the file. */
const status: Read = (value, name, line) => {
  if (value === "in_progress") return "pending";
  if (taskStatuses.includes(value as TaskStatus)) return value;
  throw wrong({ name, line }, `one of ${taskStatuses.join(", ")}`);
};

/** As we write them, or milliseconds. */
const moment: Read = (value, name, line) => {
  const ms = typeof value === "string" && ISO.test(value) ? Date.parse(value) : value;
  if (typeof ms === "number" && Number.isInteger(ms) && Math.abs(ms) <= 8.64e15) return ms;
  throw wrong({ name, line }, "a time such as 2026-01-31T08:00:00.000Z");
};

// A day, or a moment with its zone: what a Date would guess of the rest differs from machine to machine.
const ISO = /^(\d{4}|[+-]\d{6})-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

const source: Read = (value, name, line) => {
  if (isMapping(value) && typeof value["file"] === "string" && typeof value["key"] === "string") {
    return { file: value["file"], key: value["key"] };
  }
  throw wrong({ name, line }, "an object with file and key");
};

const gates: Read = (value, name, line) => {
  if (Array.isArray(value) && value.every(isGate)) return value.map(gateOf);
  throw wrong({ name, line }, "a list of objects with id and run");
};

interface WrittenGate extends Omit<TaskGate, "retries"> {
  readonly retries?: number;
}

const gateOf = ({ id, run, timeoutMs, retries = 0 }: WrittenGate): TaskGate => ({ id, run, timeoutMs, retries });

const isGate = (value: unknown): value is WrittenGate =>
  isMapping(value) &&
  typeof value["id"] === "string" &&
  typeof value["run"] === "string" &&
  ["timeoutMs", "retries"].every((name) => value[name] === undefined || typeof value[name] === "number");

const FIELDS: Readonly<Record<keyof NewTask, Read>> = {
  id: words,
  scope: words,
  parent: words,
  title: words,
  description: words,
  acceptance: texts,
  priority: number,
  status,
  needs: texts,
  tags: texts,
  gates,
  model: words,
  allowNoChange: yesNo,
  keepsWork: yesNo,
  mayChange: texts,
  attempts: number,
  attemptLimit: number,
  retry: yesNo,
  summary: words,
  source,
  question: words,
  reason: words,
  createdAt: moment,
  updatedAt: moment,
  startedAt: moment,
  endedAt: moment,
};

const READERS: ReadonlyMap<string, Read> = new Map(Object.entries(FIELDS));

function parsed(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    const position = /at position (\d+)/.exec(message)?.[1];
    // Not every Node says where.
    const column = /end of JSON/.test(message) ? text.length + 1 : position === undefined ? 0 : Number(position) + 1;
    const isCut = column > text.length;
    const where = column === 0 ? "" : `, column ${column}`;
    throw new RalphError("data", `Line ${line}${where}: invalid JSON${isCut ? ": the line ends too early" : ""}`, {
      hint: "Write one task per line, each as one JSON object",
      cause,
    });
  }
}

const fault = (line: number, problem: string, hint: string): RalphError =>
  new RalphError("data", `Line ${line}: ${problem}`, { hint });

const wrong = ({ name, line }: { name: string; line: number }, what: string): RalphError =>
  fault(line, `"${name}" must be ${what}`, `Correct "${name}" in that line`);

function unknownField(line: number, key: string): RalphError {
  const meant = closestMatch(key, Object.keys(FIELDS));
  const hint = meant === undefined ? `Choose from: ${Object.keys(FIELDS).join(", ")}` : `Did you mean "${meant}"?`;
  return fault(line, `unknown field ${JSON.stringify(key.slice(0, 80))}`, hint);
}
