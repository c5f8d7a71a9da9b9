import { undo, type UndoReport } from "../../app/undo/undo.ts";
import type { UndoPlan } from "../../app/undo/plan-undo.ts";
import { RalphError } from "../../domain/error.ts";
import { printable } from "../../domain/printable.ts";
import type { Input } from "../command.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { caller } from "../flags.ts";
import { plural } from "../../format/run-text.ts";
import type { Io } from "../io.ts";
import { printPage } from "../page.ts";
import { isJson, printJson } from "../json.ts";

/** Takes back what a run or a task landed. */
export async function run(input: Input, io: Io): Promise<number> {
  const [subject] = input.args;
  const isSure = input.options["yes"] === true || !io.isInteractive;
  if (subject === undefined && isSure && input.options["yes"] !== true) {
    throw new RalphError("usage", "Say what to take back: a run or a task", {
      hint: "Write ralphctl undo RUN, or ralphctl undo --yes for the newest run",
    });
  }
  const agrees = async (plan: UndoPlan, about: string): Promise<boolean> =>
    isSure || (await io.confirm(printable(question(plan, about))));
  const movesBranch = input.options["moveBranch"] === true;
  const report = await undo({ subject, movesBranch, isSure }, { ...caller(input, io), agrees });
  if (isJson(input)) printJson(io, undoJson(report));
  else await printPage(io, printable(`${undoText(report).join("\n")}\n`));
  return report.notFollowing === undefined ? CODES[report.result] : EXIT_CODES.blocked.code;
}

const CODES = {
  reverted: EXIT_CODES.complete.code,
  moved: EXIT_CODES.complete.code,
  followed: EXIT_CODES.complete.code,
  nothing: EXIT_CODES.nothing.code,
  refused: EXIT_CODES.blocked.code,
  cancelled: EXIT_CODES.interrupted.code,
} as const satisfies Record<UndoReport["result"], number>;

function question({ how, tasks, commits, isPlan }: UndoPlan, about: string): string {
  const lines = tasks.slice(0, MOST).map(({ id, title }) => `  ${id}  ${title}`);
  const rest = tasks.length > MOST ? [`  and ${tasks.length - MOST} more`] : [];
  const by = how === "move" ? "by moving the branch back" : `by ${plural(commits.length, "revert commit")}`;
  const its = tasks.length === 1 ? "its task" : "its tasks";
  return [
    isPlan
      ? `Take back the plan of ${about} ${by}, and remove ${its}?`
      : `Take back the work of ${about} ${by}, and open ${its} again?`,
    ...lines,
    ...rest,
  ].join("\n");
}

const MOST = 10;

function undoText(report: UndoReport): string[] {
  const { target, result, about, tasks, head, kept, refusal, notFollowing, dependents, isPlan, leavesPlan } = report;
  const branch = target.branch ?? "HEAD";
  if (result === "cancelled") return ["Nothing was changed"];
  if (result === "followed")
    return [`The work of ${about} was taken back before. ${branch} is at ${head.slice(0, 10)} now`];
  if (result === "nothing") {
    return [
      about === ""
        ? `No run has landed work that is on ${branch}`
        : `Nothing of ${about} is on ${branch}: no work of it landed here, or it was taken back`,
    ];
  }
  if (result === "refused") {
    const opened = kept === undefined || isPlan ? "" : ". The tasks are open again already";
    return [`Nothing was taken back: ${refusal?.why}${opened}`, refusal?.remedy ?? ""];
  }
  const by = result === "moved" ? "" : ` by ${plural(report.commits.length, "revert commit")}`;
  const gone = result === "reverted" && report.commits.length === 0;
  return [
    gone
      ? `The files had nothing of ${about} any more. ${isPlan ? "Removed:" : "Open again:"}`
      : `Took back the ${isPlan ? "plan" : "work"} of ${about}${by}. ${isPlan ? "Removed with it:" : "Open again:"}`,
    ...tasks.map(({ id, title }) => `  ${id}  ${title}`),
    notFollowing === undefined
      ? `${branch} is at ${head.slice(0, 10)} now`
      : `${branch} does not follow yet: ${notFollowing.why}\n${notFollowing.remedy}`,
    `Everything as it was: git log ${kept}`,
    ...dependents.map(
      ({ id, title }) => `${id} "${title}" needs one of them and stays done; ralphctl undo ${id} takes it back, too`,
    ),
    ...(leavesPlan ? [`The plan that it wrote stays; to take it back, too: ralphctl undo ${about}`] : []),
    isPlan ? "ralphctl run plan plans again" : "Check the rest with ralphctl verify; ralphctl run works on them again",
  ];
}

const undoJson = (report: UndoReport): unknown => ({
  version: 1,
  branch: report.target.branch ?? null,
  ref: report.target.ref,
  result: report.result,
  subject: report.about || null,
  plan: report.isPlan ? "taken" : report.leavesPlan ? "stays" : null,
  tasks: report.tasks.map(({ id, title }) => ({ id, title })),
  taken: report.taken,
  commits: report.commits,
  head: report.head || null,
  kept: report.kept ?? null,
  dependents: report.dependents.map(({ id, title }) => ({ id, title })),
  why: (report.refusal ?? report.notFollowing)?.why ?? null,
  remedy: (report.refusal ?? report.notFollowing)?.remedy ?? null,
  steps: (report.refusal ?? report.notFollowing)?.steps ?? [],
});
