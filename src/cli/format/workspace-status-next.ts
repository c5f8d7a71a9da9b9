import type { WorkspaceStatus } from "../../app/status.ts";
import { scopeFlag } from "../../domain/scope-name.ts";

type Next = readonly [command: string, what: string];

const MOST = 4;

/** What to type now, the most useful first, each with what it does. */
export function nextCommands(status: WorkspaceStatus): readonly Next[] {
  const { running, waiting, failed, counts, scope, isTreeTaken } = status;
  const run = `ralphctl run${scopeFlag(scope)}`;
  const ready = counts.reduce((sum, each) => sum + each.ready, 0);
  const steps: Next[] = [
    ...running.flatMap((each) => stepsOf(each, status)),
    ...waiting.slice(0, 1).map(({ id }): Next => [`ralphctl task answer ${id} TEXT`, "answer the question"]),
    ...failed.slice(0, 1).map(({ id }): Next => [`ralphctl inspect ${id}`, "see why it failed"]),
    ...(isTreeTaken || ready === 0 ? [] : [runStep(status, run)]),
  ];
  if (steps.length > 0) return steps.slice(0, MOST);
  if (counts.length === 0) {
    return [
      [`ralphctl task add TITLE${scopeFlag(scope)}`, "say what is to be done"],
      [`${run} plan`.replace(/^(ralphctl run)(.*) plan$/, "$1 plan$2"), "let an agent make tasks from specs"],
    ];
  }
  return status.last === undefined
    ? [[`ralphctl task list${scopeFlag(scope)}`, "see the tasks"]]
    : [[`ralphctl inspect${scopeFlag(scope)}`, "see what the last run did"]];
}

/** Where only one other scope has something ready, that is the one to run. */
function runStep({ scope, counts }: WorkspaceStatus, run: string): Next {
  const [only, ...others] = counts.filter(({ ready }) => ready > 0);
  const isElsewhere = scope === undefined && only !== undefined && others.length === 0;
  return [isElsewhere ? `ralphctl run${scopeFlag(only.scope)}` : run, "work on what is ready"];
}

function stepsOf({ run, root, glance }: WorkspaceStatus["running"][number], status: WorkspaceStatus): Next[] {
  const isHere = root === status.root;
  const follow: Next = [`ralphctl logs -f${isHere && status.running.length === 1 ? "" : ` ${run}`}`, "watch the run"];
  if (!isHere) return [follow];
  const waiting = glance?.summary.waiting?.for;
  const resume: Next[] =
    waiting === undefined ? [] : [["ralphctl resume", waiting === "pause" ? "go on" : "try again now"]];
  return [...resume, follow, ["ralphctl stop --after", "stop after this iteration"]];
}
