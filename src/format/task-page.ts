import type { Attempt, LogEntry, TaskView } from "../app/task/show-task.ts";
import { readAttemptRecord } from "../domain/run/attempt-record.ts";
import { printable, printableLine } from "../domain/printable.ts";
import type { Task } from "../domain/task.ts";
import { isoTime, taskJson } from "../domain/task-json.ts";
import { stateOf } from "../domain/task-state.ts";
import { standingText, taskLine, timeText } from "./task-text.ts";

/** One task for a person: fields, relations, texts and log. Empty parts are omitted. */
export function taskPage(view: TaskView): string {
  const { task, parent, needed, neededBy, children, attempts, log } = view;
  const head = `${task.id}  ${printableLine(task.title)}\n\n`;
  const facts = [
    ...factsOf(task),
    ...optional("proof", view.standing && standingText(view.standing)),
    ...optional("commit", view.landed && landedText(view.landed)),
    ...listed("parent", parent === undefined ? [] : [parent]),
    ...listed("needs", needed, task.needs.length > needed.length),
    ...listed("needed by", neededBy, view.dependents.length > neededBy.length),
    ...listed("children", children, view.hasMoreChildren),
    ...timesOf(task),
  ];
  const parts = [
    part("Question", task.question),
    part("Change", changeOf(view)),
    part("Reason", task.reason),
    part("Summary", task.summary),
    part("Description", task.description),
    part("Acceptance", task.acceptance.map((text) => `- ${text}`).join("\n")),
    part("Attempts", attempts.map(attemptLine).join("\n")),
    part("Log", log.map(logLine).join("\n")),
  ];
  const width = Math.max(...facts.map(([name]) => name.length));
  return `${head}${facts.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join("")}${parts.join("")}`;
}

/** The change that the question of a parked task is about, that a rejected one may not make, or that a person should look at. */
export function changeOf({ task, standing, attempts }: TaskView): string | undefined {
  const last = attempts.at(-1);
  const { ask, look } = readAttemptRecord(last?.details) ?? {};
  if (task.question !== undefined || last?.outcome === "rejected") return ask?.diff;
  return standing?.kind === "look" ? look : undefined;
}

const landedText = ({ commit, branch, isOnBranch }: NonNullable<TaskView["landed"]>): string =>
  `${commit.slice(0, 10)}${isOnBranch ? ` on ${branch}` : ` landed, not on ${branch} yet: ralphctl status says why`}`;

type Fact = readonly [name: string, value: string];

function factsOf(task: Task): Fact[] {
  const { source, lease } = task;
  return [
    ["status", stateOf(task)],
    ["scope", printableLine(task.scope)],
    ["priority", String(task.priority)],
    ["attempts", `${task.attempts}${task.attemptLimit === undefined ? "" : ` of ${task.attemptLimit}`}`],
    ...optional("tags", task.tags.length === 0 ? undefined : task.tags.join(", ")),
    ...task.gates.flatMap(({ id, run }) => optional("gate", `${id}: ${run}`)),
    ...optional("model", task.model),
    ...optional("no change", task.allowNoChange ? "allowed" : undefined),
    ...optional("may change", task.mayChange.length === 0 ? undefined : task.mayChange.join(", ")),
    ...optional("retry", task.retry ? "the loop may try it again" : undefined),
    ...optional("source", source && `${source.file} (${source.key})`),
    ...optional(
      "held by",
      lease && `process ${lease.owner.pid} on ${lease.owner.host} until ${timeText(lease.untilMs)}`,
    ),
  ];
}

const timesOf = (task: Task): Fact[] => [
  ["created", timeText(task.createdAt)],
  ...optional("changed", task.updatedAt === task.createdAt ? undefined : timeText(task.updatedAt)),
  ...optional("started", task.startedAt === undefined ? undefined : timeText(task.startedAt)),
  ...optional("ended", task.endedAt === undefined ? undefined : timeText(task.endedAt)),
];

const optional = (name: string, value: string | undefined): Fact[] =>
  value === undefined ? [] : [[name, printableLine(value)]];

function listed(name: string, tasks: readonly Task[], hasMore = false): Fact[] {
  const rest: Fact[] = hasMore ? [["", "and more"]] : [];
  return [...tasks.map((task, index): Fact => [index === 0 ? name : "", taskLine(task)]), ...rest];
}

export function part(name: string, text: string | undefined): string {
  if (text === undefined || text.trim() === "") return "";
  return `\n${name}\n${printable(text.trimEnd()).replaceAll(/^(?=.)/gm, "  ")}\n`;
}

function attemptLine({ fence, startedAt, outcome, counted, reason }: Attempt): string {
  const words = [`#${fence}`, timeText(startedAt), outcome ?? "running", counted ? "counted" : "not counted"];
  return [...words, ...(reason === undefined ? [] : [printableLine(reason)])].join("  ");
}

export const logLine = ({ at, by, kind, text }: LogEntry): string =>
  [timeText(at), by, kind, ...(text === "" ? [] : [printableLine(text)])].join("  ");

export const logJson = ({ at, by, kind, text }: LogEntry) => ({ at: isoTime(at), by, kind, text });

/** The task with its dependents, attempts and log. */
export const taskPageJson = ({ task, standing, dependents, attempts, log }: TaskView) => ({
  ...taskJson(task, standing),
  dependents,
  attemptLog: attempts.map(attemptJson),
  log: log.map(logJson),
});

export const attemptJson = (attempt: Attempt) => ({
  fence: attempt.fence,
  run: attempt.run ?? null,
  iteration: attempt.iteration ?? null,
  owner: attempt.owner,
  startedAt: isoTime(attempt.startedAt),
  endedAt: attempt.endedAt === undefined ? null : isoTime(attempt.endedAt),
  outcome: attempt.outcome ?? null,
  counted: attempt.counted,
  reason: attempt.reason ?? null,
  costUsd: attempt.costUsd ?? null,
  tokens: attempt.tokens ?? null,
  session: attempt.session ?? null,
  verdict: attempt.verdict ?? null,
  details: attempt.details ?? null,
});
