import { RalphError } from "./error.ts";
import {
  DEFAULT_PRIORITY,
  type TaskGate,
  type TaskId,
  type TaskSource,
  type TaskStatus,
  taskStatuses,
} from "./task.ts";

/** A task as somebody writes it down. What is left out gets its default. */
export interface NewTask {
  /** Made by the store when left out. */
  readonly id?: TaskId | undefined;
  readonly scope: string;
  readonly title: string;
  readonly parent?: TaskId | undefined;
  readonly description?: string | undefined;
  readonly acceptance?: readonly string[] | undefined;
  readonly priority?: number | undefined;
  /** Not `in_progress`: only a claim makes that. Ignored for a task that gets children. */
  readonly status?: Exclude<TaskStatus, "in_progress"> | undefined;
  readonly needs?: readonly TaskId[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly gates?: readonly TaskGate[] | undefined;
  readonly model?: string | undefined;
  readonly allowNoChange?: boolean | undefined;
  readonly attempts?: number | undefined;
  readonly attemptLimit?: number | undefined;
  /** Of a failed task: the loop may try it again. */
  readonly retry?: boolean | undefined;
  readonly summary?: string | undefined;
  readonly source?: TaskSource | undefined;
  readonly question?: string | undefined;
  readonly reason?: string | undefined;
  readonly createdAt?: number | undefined;
  readonly updatedAt?: number | undefined;
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
}

/** A new task with every field filled in and every text safe to store. The id may still be missing. */
export interface CleanTask {
  readonly id: TaskId | undefined;
  readonly scope: string;
  readonly parent: TaskId | undefined;
  readonly title: string;
  readonly description: string;
  readonly acceptance: readonly string[];
  readonly priority: number;
  readonly status: Exclude<TaskStatus, "in_progress">;
  readonly needs: readonly TaskId[];
  readonly tags: readonly string[];
  readonly gates: readonly TaskGate[];
  readonly model: string | undefined;
  readonly allowNoChange: boolean;
  readonly attempts: number;
  readonly attemptLimit: number | undefined;
  readonly retry: boolean;
  readonly summary: string | undefined;
  readonly source: TaskSource | undefined;
  readonly question: string | undefined;
  readonly reason: string | undefined;
  readonly createdAt: number | undefined;
  readonly updatedAt: number | undefined;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
}

/** What may be edited later. `null` takes an optional field away. */
export interface TaskPatch {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly acceptance?: readonly string[] | undefined;
  readonly priority?: number | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly gates?: readonly TaskGate[] | undefined;
  readonly model?: string | null | undefined;
  readonly allowNoChange?: boolean | undefined;
  readonly attemptLimit?: number | null | undefined;
  readonly summary?: string | null | undefined;
  readonly source?: TaskSource | null | undefined;
  readonly scope?: string | undefined;
  readonly parent?: TaskId | null | undefined;
}

const MAX_TITLE = 10_000;
export const MAX_TEXT = 1_000_000;
const MAX_ITEMS = 10_000;
const ID = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/;
// One path of names: a part may not begin with a dot, and `..` cannot occur (W-05).
const SCOPE = /^[A-Za-z0-9_][^/\\\u0000-\u001f\u007f]*(\/[^/\\.\u0000-\u001f\u007f][^/\\\u0000-\u001f\u007f]*)*$/u;

/** Fills in defaults and makes every text safe. Throws a sentence for what cannot be used. */
export function cleanTask(input: NewTask): CleanTask {
  const title = cleanTitle(input.title);
  const status = input.status ?? "pending";
  if (!taskStatuses.includes(status) || (status as TaskStatus) === "in_progress") {
    throw refused(`a new task cannot be "${status}"`);
  }
  return {
    id: input.id === undefined ? undefined : cleanId(input.id),
    scope: cleanScope(input.scope),
    parent: input.parent === undefined ? undefined : cleanId(input.parent),
    title,
    description: cleanText(input.description ?? "", "description"),
    acceptance: cleanList(input.acceptance, "acceptance"),
    priority: wholeNumber(input.priority ?? DEFAULT_PRIORITY, "priority"),
    status,
    needs: asList(input.needs, "needs").length === 0 ? NONE : [...new Set(input.needs!.map(cleanId))],
    tags: cleanTags(input.tags),
    gates: cleanGates(input.gates),
    model: optionalText(input.model, "model"),
    allowNoChange: input.allowNoChange === true,
    attempts: wholeNumber(input.attempts ?? 0, "attempts"),
    attemptLimit: cleanLimit(input.attemptLimit),
    retry: status === "failed" && input.retry === true,
    summary: optionalText(input.summary, "summary"),
    source: cleanSource(input.source),
    question: optionalText(input.question, "question"),
    reason: optionalText(input.reason, "reason"),
    createdAt: cleanTime(input.createdAt, "createdAt"),
    updatedAt: cleanTime(input.updatedAt, "updatedAt"),
    startedAt: cleanTime(input.startedAt, "startedAt"),
    endedAt: cleanTime(input.endedAt, "endedAt"),
  };
}

/** Oldest first; those that do not say how old they are come last, as they stand. */
const byAge = (a: Pick<CleanTask, "createdAt">, b: Pick<CleanTask, "createdAt">): number =>
  (a.createdAt ?? Infinity) === (b.createdAt ?? Infinity) ? 0 : (a.createdAt ?? Infinity) - (b.createdAt ?? Infinity);

/** In that order, whatever order they came in. */
export const oldestFirst = (tasks: readonly CleanTask[]): CleanTask[] => [...tasks].sort(byAge);

/** The same rules for an edit. Only what is there is returned. */
export function cleanPatch(patch: TaskPatch): TaskPatch {
  return {
    ...(patch.title !== undefined && { title: cleanTitle(patch.title) }),
    ...(patch.description !== undefined && { description: cleanText(patch.description, "description") }),
    ...(patch.acceptance !== undefined && { acceptance: cleanList(patch.acceptance, "acceptance") }),
    ...(patch.priority !== undefined && { priority: wholeNumber(patch.priority, "priority") }),
    ...(patch.tags !== undefined && { tags: cleanTags(patch.tags) }),
    ...(patch.gates !== undefined && { gates: cleanGates(patch.gates) }),
    ...(patch.model !== undefined && { model: optionalText(patch.model ?? undefined, "model") ?? null }),
    ...(patch.allowNoChange !== undefined && { allowNoChange: asFlag(patch.allowNoChange, "allowNoChange") }),
    ...(patch.attemptLimit !== undefined && { attemptLimit: cleanLimit(patch.attemptLimit ?? undefined) ?? null }),
    ...(patch.summary !== undefined && { summary: optionalText(patch.summary ?? undefined, "summary") ?? null }),
    ...(patch.source !== undefined && { source: cleanSource(patch.source ?? undefined) ?? null }),
    ...(patch.scope !== undefined && { scope: cleanScope(patch.scope) }),
    ...(patch.parent !== undefined && { parent: patch.parent === null ? null : cleanId(patch.parent) }),
  };
}

/** One line: every run of white space and control characters, line breaks included, becomes one space. */
export function cleanTitle(input: string, field = "title"): string {
  const text = asText(input, field);
  if (text.length > MAX_TITLE) {
    throw refused(
      `the ${field} has ${text.length} characters; the limit is ${MAX_TITLE}`,
      "Put the text into the description",
    );
  }
  // Most are plain words: looking is much cheaper than replacing every space by itself.
  if (PLAIN.test(text)) return text;
  const title = wellFormed(text)
    .replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu, " ")
    .trim();
  if (title === "") throw field === "title" ? untitled() : refused(`an entry of ${field} is empty`, "Leave it out");
  return title;
}

const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/** NUL and lone surrogates become U+FFFD: neither survives a database, a file and a prompt alike. */
export function cleanText(input: string, field: string): string {
  const text = asText(input, field);
  if (text.length > MAX_TEXT) throw refused(`the ${field} has ${text.length} characters; the limit is ${MAX_TEXT}`);
  return wellFormed(text).replaceAll("\u0000", "\ufffd");
}

/** The same for words that must be kept whatever they are, an agent's above all: what is too long is cut. */
export function truncateText(text: string, most = MAX_TEXT): string {
  const fitting = text.length > most ? `${text.slice(0, most - 1)}…` : text;
  return wellFormed(fitting).replaceAll("\u0000", "\ufffd");
}

export function cleanId(input: string): TaskId {
  const id = asText(input, "id");
  if (ID.test(id) && !id.includes("..")) return id;
  throw refused(
    `${quoted(id)} cannot be the id of a task`,
    "Use 1 to 64 letters, digits, `.`, `_` or `-`, without a leading dot or `..`",
  );
}

export function cleanScope(input: string): string {
  const scope = asText(input, "scope");
  if (scope.length <= 300 && SCOPE.test(scope) && scope === wellFormed(scope)) return scope;
  throw refused(`${quoted(scope)} cannot be a scope`, "Write it like `workspace` or `project/auth`");
}

const NONE: readonly never[] = [];

function cleanList(list: readonly string[] | undefined, field: string): readonly string[] {
  const items = asList(list, field);
  if (items.length === 0) return NONE;
  if (items.length > MAX_ITEMS) throw refused(`${field} has ${items.length} entries; the limit is ${MAX_ITEMS}`);
  return items.map((item) => cleanText(item, field));
}

function cleanTags(tags: readonly string[] | undefined): readonly string[] {
  const list = asList(tags, "tags");
  return list.length === 0 ? NONE : [...new Set(list.map((tag) => cleanTitle(tag, "tags")))].sort();
}

function cleanGates(gates: readonly TaskGate[] | undefined): readonly TaskGate[] {
  const list = asList(gates, "gates");
  return list.length === 0 ? NONE : list.map(cleanGate);
}

function cleanGate(gate: TaskGate): TaskGate {
  const { id, run, timeoutMs, retries } = asObject(gate, "gates");
  return {
    id: cleanId(id),
    run: cleanText(run, "gate"),
    ...(timeoutMs !== undefined && { timeoutMs: wholeNumber(timeoutMs, "timeoutMs") }),
    retries: wholeNumber(retries, "retries"),
  };
}

function cleanSource(source: TaskSource | undefined): TaskSource | undefined {
  if (source === undefined) return undefined;
  const { file, key } = asObject(source, "source");
  return { file: cleanText(file, "source"), key: cleanText(key, "source") };
}

function cleanLimit(limit: number | undefined): number | undefined {
  if (limit === undefined) return undefined;
  if (wholeNumber(limit, "attempts") < 1) throw refused("a task needs at least one attempt");
  return limit;
}

// Types are gone when it runs, and callers need not have any: what is of another kind is refused by the field's name.

function asText(value: string, field: string): string {
  if (typeof value === "string") return value;
  throw value === undefined && field === "title"
    ? untitled()
    : refused(`${field} must be a string`, "Put it in quotes");
}

function asList<Item>(value: readonly Item[] | undefined, field: string): readonly Item[] {
  if (value === undefined || Array.isArray(value)) return value ?? NONE;
  throw refused(`${field} must be a list`);
}

function asObject<Value extends object>(value: Value, field: string): Value {
  if (typeof value === "object" && value !== null) return value;
  throw refused(`${field} must be an object`);
}

function asFlag(value: boolean, field: string): boolean {
  if (typeof value === "boolean") return value;
  throw refused(`${field} must be true or false`);
}

const optionalText = (text: string | undefined, field: string): string | undefined =>
  text === undefined ? undefined : cleanText(text, field);

function wholeNumber(value: number, field: string): number {
  if (Number.isInteger(value) && Math.abs(value) <= 2 ** 31) return value;
  throw refused(`${field} must be a whole number, not ${String(value)}`);
}

// What a Date can say: the times of a task must survive being written down.
const MAX_TIME = 8.64e15;

function cleanTime(value: number | undefined, field: string): number | undefined {
  if (value === undefined || (Number.isInteger(value) && Math.abs(value) <= MAX_TIME)) return value;
  throw refused(`${field} must be a time, not ${String(value)}`);
}

const wellFormed = (text: string): string =>
  /\p{Surrogate}/u.test(text) ? text.replace(/\p{Surrogate}/gu, "\ufffd") : text;

/** For a message: short, and safe for a terminal. */
const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);

const untitled = (): RalphError => refused("a task needs a title", "Describe the task in one line");

const refused = (message: string, hint?: string): RalphError =>
  new RalphError("data", `${message.charAt(0).toUpperCase()}${message.slice(1)}`, { hint });
