import type { HookPoint } from "../hook.ts";
import { printableLine } from "../printable.ts";
import type { EventOf, IterationFinished, RunFinished, TaskName } from "./event.ts";

/** The events that can trigger hooks. */
export type HookEvent = EventOf<
  "run.started" | "iteration.started" | "iteration.finished" | "tasks.changed" | "run.waiting" | "run.finished"
>;

/** Which points an event stands for. A hook that is on several of them runs once, for the first. */
export function hookPointsOf(event: HookEvent): readonly HookPoint[] {
  switch (event.type) {
    case "run.started":
      return ["run-start"];
    case "iteration.started":
      return ["iteration-start"];
    case "iteration.finished":
      return [...pointsOfTask(event), "iteration-end"];
    case "tasks.changed":
      if (event.change === "claimed together") return ["task-done"];
      return event.change === "parked" ? ["needs-human"] : [];
    case "run.waiting":
      return event.for === "limit" ? ["limit"] : [];
    case "run.finished":
      return [...pointsOfEnd(event), "run-end"];
    default:
      return [];
  }
}

function pointsOfTask({ status, retry }: IterationFinished): readonly HookPoint[] {
  if (status === "done") return ["task-done"];
  if (status === "parked") return ["needs-human"];
  return status === "failed" && retry !== true ? ["task-failed"] : [];
}

function pointsOfEnd({ ending }: RunFinished): readonly HookPoint[] {
  if (ending === "limit") return ["limit"];
  return ending === "blocked" || ending === "login" || ending === "config" ? ["needs-human"] : [];
}

/** The environment variables of a hook's command, besides those of every program of a run; `docs/guides/hooks.md` lists them. */
export const HOOK_VARIABLES = {
  RALPHCTL_HOOK: "the hook's id",
  RALPHCTL_HOOK_POINT: "the point: `run-end`",
  RALPHCTL_HOOK_TEXT: "what happened, as one sentence for people",
  RALPHCTL_HOOK_LINK: "the address of the page about it, without its token; unset if `ralphctl ui` does not serve it",
  RALPHCTL_HOOK_OUTCOME:
    "the outcome of the iteration (`verified`, `rejected` …) or of the run (`complete`, `limit` …)",
  RALPHCTL_HOOK_COMMIT: "the commit that the iteration made",
  RALPHCTL_HOOK_FOLDER: "the folder with all files of the iteration or the run",
  RALPHCTL_ITERATION: "the number of the iteration",
  RALPHCTL_TASK: "the id of the task",
  RALPHCTL_TASK_TITLE: "the title of the task",
} as const;

export type HookVariables = Readonly<Record<keyof typeof HOOK_VARIABLES, string | undefined>>;

/** The variables for a hook; what an event does not have is unset, also when an outer program has set it. */
export function hookVariables(
  event: HookEvent,
  about: { readonly id: string; readonly point: HookPoint; readonly folder: string; readonly link: string | undefined },
): HookVariables {
  const task = taskOf(event);
  const finished = event.type === "iteration.finished" ? event : undefined;
  return {
    RALPHCTL_HOOK: about.id,
    RALPHCTL_HOOK_POINT: about.point,
    RALPHCTL_HOOK_TEXT: hookText(event, about.point),
    RALPHCTL_HOOK_LINK: about.link,
    RALPHCTL_HOOK_OUTCOME: finished?.outcome ?? (event.type === "run.finished" ? event.ending : undefined),
    RALPHCTL_HOOK_COMMIT: finished?.commit,
    RALPHCTL_HOOK_FOLDER: about.folder,
    RALPHCTL_ITERATION: iterationOf(event)?.toString(),
    RALPHCTL_TASK: task?.id,
    RALPHCTL_TASK_TITLE: task && printableLine(task.title),
  };
}

/** The iteration that an event is about. */
export const iterationOf = (event: HookEvent): number | undefined =>
  event.type === "iteration.started" || event.type === "iteration.finished" ? event.iteration : undefined;

export function taskOf(event: HookEvent): TaskName | undefined {
  if (event.type === "tasks.changed") return event.tasks[0];
  return event.type === "iteration.started" || event.type === "iteration.finished" ? event.task : undefined;
}

/** No message needs more, and an environment cannot hold any length. */
const MAX_TEXT_LENGTH = 1000;

/** What happened, in one line for people: a notification shows it as it is. */
export function hookText(event: HookEvent, point: HookPoint): string {
  const text = printableLine(sentence(event, point));
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH).replace(/[\uD800-\uDBFF]$/, "")} …` : text;
}

function sentence(event: HookEvent, point: HookPoint): string {
  switch (event.type) {
    case "run.started":
      return `Run ${event.run} of ${event.scope} started`;
    case "iteration.started":
      return `Iteration ${event.iteration} started: ${nameOf(event.task) ?? event.mode}`;
    case "iteration.finished":
      return point === "iteration-end"
        ? `Iteration ${event.iteration} ended (${event.outcome}): ${nameOf(event.task) ?? "the plan"}`
        : taskSentence(event, point);
    case "tasks.changed":
      if (point === "task-done")
        return `${event.tasks.map(nameOf).join(", ")} is done, claimed together with ${event.with}`;
      return `${event.tasks.map(nameOf).join(", ")} ${event.tasks.length === 1 ? "waits" : "wait"} for an answer`;
    case "run.waiting":
      return "The run reached a usage limit and waits for it to reset";
    case "run.finished":
      return `${ENDINGS[event.ending]}: ${event.reason}`;
    default:
      return "";
  }
}

function taskSentence({ task, strength, reason, question }: IterationFinished, point: HookPoint): string {
  const name = nameOf(task) ?? "The plan";
  if (point === "task-done")
    return `${name} is ${strength === "look" ? "done, but look at it first" : `done and ${strength ?? "verified"}`}`;
  const [what, why] = point === "needs-human" ? ["waits for an answer", question ?? reason] : ["failed", reason];
  return why === undefined ? `${name} ${what}` : `${name} ${what}: ${why}`;
}

const nameOf = (task: TaskName | undefined): string | undefined => task && `${task.id} "${task.title}"`;

const ENDINGS: Readonly<Record<RunFinished["ending"], string>> = {
  complete: "Complete and verified",
  unverified: "Complete, but unverified",
  failure: "The run failed",
  blocked: "The run needs you",
  nothing: "There was nothing to do",
  limit: "The run stopped at a limit, with work left",
  login: "The run needs a login",
  config: "The run needs another model",
  interrupted: "The run was interrupted",
};
