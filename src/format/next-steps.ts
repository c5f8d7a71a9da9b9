import { printableLine } from "../domain/printable.ts";
import type { RunFinished, RunStarted } from "../domain/run/event.ts";
import type { RunEnding } from "../domain/run/policy.ts";
import type { RunSummary } from "../domain/run/summary.ts";
import { runFlag, scopeFlag } from "../domain/scope-name.ts";
import { shellWord } from "../domain/shell-word.ts";
import { NO_CHECK } from "../domain/strength.ts";
import { answerStep } from "./answer-step.ts";
import { lookup, plural } from "./run-text.ts";

/** Where the run worked, and with how many lanes. */
function placeFlag(started: Partial<RunStarted> = {}): string {
  const { lane, lanes = 1 } = started;
  if (lane?.number === 0) return " --in-place";
  return `${fleetFlag(started)}${lanes > 1 ? ` --lanes ${lanes}` : ""}`;
}

const fleetFlag = ({ fleet }: Partial<RunStarted> = {}): string => (fleet === true ? " --fleet" : "");

/** The commands to type, the most useful first. */
export function nextSteps(finished: RunFinished, summary: RunSummary): string[] {
  const again = `ralphctl run${runFlag(summary.started?.scope)}${placeFlag(summary.started)}`;
  const steps = lookup(STEPS, finished.ending)?.({ finished, summary, again }) ?? [again];
  const land = finished.notFollowing === undefined ? [] : (finished.followBy ?? ["ralphctl land"]).map(printableLine);
  return [...land, ...steps, ...summary.kept.slice(0, 1).map(({ ref }) => `git log ${shellWord(ref)}`)];
}

interface Situation {
  readonly finished: RunFinished;
  readonly summary: RunSummary;
  /** The command that goes on. */
  readonly again: string;
}

const answerCommand = (waiting: RunFinished["waiting"][number]): string => {
  const [command, what] = answerStep(waiting);
  return command.endsWith("TEXT") ? command : `${command}  # ${what}`;
};

const isAllDone = ({ left: { settled, ready, blocked, waiting, failed } }: RunFinished): boolean =>
  settled > 0 && ready + blocked + waiting + failed === 0;

/** The commits of the run, if the branch has them. */
function logStep({ summary, finished }: Situation): string[] {
  if (finished.commits === 0 || finished.notFollowing !== undefined) return [];
  const { head, branch } = summary.started ?? {};
  // The person may have another branch checked out by now.
  const to = branch === undefined ? "" : shellWord(printableLine(branch));
  return [`git log --oneline${head === undefined ? "" : ` ${head.slice(0, 10)}..${to}`}`];
}

/** Keeps a cost or token limit for the next run; a wait that was too long gets a longer one. */
function limitFlag({ finished: { limit }, summary }: Situation): string {
  const { costUsd, tokens } = summary.started?.limits ?? {};
  if (limit === "wait") return " --max-wait 24h";
  if (limit === "cost" && costUsd !== undefined) return ` --max-cost ${costUsd}`;
  return limit === "tokens" && tokens !== undefined ? ` --max-tokens ${tokens}` : "";
}

const STEPS: Readonly<Record<RunEnding, (situation: Situation) => string[]>> = {
  complete: (situation) => {
    const { summary, finished, again } = situation;
    const list = `ralphctl task list${scopeFlag(summary.started?.scope)}`;
    if (finished.mode === "plan") return [list, again];
    const others = finished.othersReady ?? 0;
    const goOn =
      others === 0 ? [] : [`${again}  # ${plural(others, "other task")} ${others === 1 ? "is" : "are"} ready`];
    return [...goOn, ...(finished.commits === 0 ? [list] : logStep(situation))];
  },
  unverified: ({ finished: { look = [] }, summary }) => {
    const isUnchecked = look.length === 0 || look.some(({ reason }) => reason.includes(NO_CHECK));
    const gates = "Add gates to .ralph/config.yaml, such as gates: [{ id: test, run: COMMAND }]";
    return [
      ...(isUnchecked ? [gates, `ralphctl verify${scopeFlag(summary.started?.scope)}`] : []),
      ...look.slice(0, 1).flatMap(({ id }) => [`ralphctl task show ${id}`, `ralphctl task approve ${id}`]),
    ];
  },
  failure: ({ finished: { failed, waiting, left, error, help = [] }, again, summary }) => {
    if (error !== undefined) return [...help.map(printableLine), again];
    const [first] = failed;
    if (first !== undefined) return [`ralphctl task show ${first.id}`, `ralphctl task reset ${first.id} && ${again}`];
    // A run would find nothing to do before that (P-42).
    if (left.ready === 0 && waiting.length > 0) return [...waiting.slice(0, 3).map(answerCommand), again];
    const { latest } = summary;
    return [...(latest === undefined ? [] : [`ls ${shellWord(latest.folder)}`]), again];
  },
  blocked: ({ finished, again, summary }) => {
    const { waiting, blocked, failed, look = [], help = [], outside = [], notFollowing } = finished;
    const blocker = blocked[0]?.by[0];
    return [
      ...help,
      ...waiting.slice(0, 3).map(answerCommand),
      ...look.slice(0, 1).map(({ id }) => `ralphctl task approve ${id}  # ralphctl task show ${id} shows the change`),
      ...failed.slice(0, 1).map(({ id }) => `ralphctl task reset ${id}`),
      ...(waiting.length + failed.length === 0 && blocker !== undefined ? [`ralphctl task show ${blocker}`] : []),
      ...[...new Set(outside.map(({ scope }) => `ralphctl run${scopeFlag(scope)}${fleetFlag(summary.started)}`))].slice(
        0,
        3,
      ),
      // Once the branch follows, nothing is left to do.
      ...(notFollowing !== undefined && isAllDone(finished) ? [] : [again]),
    ];
  },
  nothing: ({ again, summary, finished: { help } }) => {
    if (help !== undefined && help.length > 0) return [...help];
    const flag = scopeFlag(summary.started?.scope);
    return [again.replace("ralphctl run", "ralphctl run plan"), `ralphctl task add TITLE${flag}`];
  },
  login: ({ summary, again, finished: { help } }) =>
    help === undefined
      ? [`Log in to ${printableLine(summary.started?.harness ?? "the agent")}, then ${again}`]
      : [...help.map(printableLine), again],
  config: ({ again, finished: { help = [] } }) => [...help.map(printableLine), again],
  limit: (situation) => [`${situation.again}${limitFlag(situation)}`],
  // A run would find nothing to do; only the final check of all gates may be missing (P-21).
  interrupted: (situation) =>
    situation.finished.mode === "build" && isAllDone(situation.finished)
      ? [`ralphctl verify${scopeFlag(situation.summary.started?.scope)}`, ...logStep(situation)]
      : [situation.again],
};
