import { commitInit, type InitOptions, type InitPlan, notCommitted, planInit, writeInit } from "../../app/init.ts";
import { printable } from "../../domain/printable.ts";
import { shellWord } from "../../domain/shell-word.ts";
import { type Input, textOption } from "../command.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { explained } from "../../format/init-files.ts";
import type { Io } from "../io.ts";
import { printPage } from "../page.ts";

/** Sets up a workspace: asks at a terminal, otherwise uses the defaults; prints what it wrote and the next steps. */
export async function run(input: Input, io: Io): Promise<number> {
  const options = {
    cwd: io.cwd,
    env: io.env,
    project: textOption(input, "project"),
    force: input.options["force"] === true,
    isHere: input.options["here"] === true,
  };
  if (input.options["dryRun"] === true) {
    io.out(`${reportText({ plan: await planInit(options), commits: false, isShown: false })}\nNothing was written\n`);
    return 0;
  }
  const isAgreed = input.options["yes"] === true;
  const decided =
    isAgreed || !io.isInteractive
      ? { plan: await planInit(options), commits: isAgreed, isShown: false }
      : await talk(options, io);
  if (decided === undefined) {
    io.err("Nothing was written\n");
    return EXIT_CODES.interrupted.code;
  }
  const { plan, commits } = decided;
  await writeInit(plan, io.env);
  await printPage(io, reportText(decided));
  const { tellFound } = await import("../init-found.ts");
  await tellFound({ plan, asks: !isAgreed && io.isInteractive }, input, io);
  if (plan.uncommitted.length > 0) io.out(commits ? await committed(plan, io) : uncommittedText(plan, input));
  if (plan.ignored.length > 0) io.out(ignoredText(plan));
  for (const text of await notCommitted(plan, io.env)) io.out(printable(`${text}\n`));
  const { tryGates } = await import("../init-try.ts");
  const code = await tryGates({ plan, commits, asks: !isAgreed && io.isInteractive }, input, io);
  await printPage(io, nextText(plan, input));
  return code;
}

interface Decided {
  readonly plan: InitPlan;
  readonly commits: boolean;
  /** The files were already shown in a question. */
  readonly isShown: boolean;
}

/** Writes nothing before the last answer. Undefined when the person cancels. */
async function talk(options: InitOptions, io: Io): Promise<Decided | undefined> {
  // Refuse before asking.
  const about = await planInit(options);
  const [{ surveyInit }, { askPart, askSettings, askWhetherToWrite }] = await Promise.all([
    import("../../app/init-survey.ts"),
    import("../init-questions.ts"),
  ]);
  const isHere = await askPart(about, io);
  if (isHere === undefined) return undefined;
  const chosen = { ...options, isHere: isHere || options.isHere };
  const survey = await surveyInit(chosen);
  const settings = survey && (await askSettings(survey, io));
  if (survey !== undefined && settings === undefined) return undefined;
  const plan = await planInit({ ...chosen, settings });
  const answer = await askWhetherToWrite(plan, io);
  io.err("\n");
  return answer === undefined ? undefined : { plan, commits: answer === "commit", isShown: true };
}

function reportText({ plan, isShown }: Decided): string {
  const { files, harnesses, permissions, checks, uncovered } = plan;
  const told = files.filter(({ outcome }) => !isShown || outcome === "kept");
  const paths = explained(told.map(({ path }) => path));
  const lines = told.map(({ outcome }, at) => `  ${outcome.padEnd(8)}  ${paths[at]}\n`).join("");
  const agents =
    harnesses.length > 0
      ? `Agents found: ${harnesses.join(", ")}`
      : "No agent found on PATH. Install one, or set `harness` in .ralph/config.yaml";
  const may = permissions === undefined ? "" : `Permissions: ${permissions}\n`;
  const gates =
    checks.length > 0
      ? `Checks: ${checks.join(", ")}`
      : "No checks found, and without one nothing can be verified. Add some under `gates` in .ralph/config.yaml";
  const ofCi =
    uncovered.length === 0 ? "" : `CI also runs, and no gate does: ${uncovered.map(({ run }) => run).join(", ")}\n`;
  return printable(
    `${placeText(plan, isShown)}\n\n${lines === "" ? "" : `${lines}\n`}${agents}\n${may}${gates}\n${ofCi}`,
  );
}

/** Which part of the repository it is, where that could be another one. */
function placeText({ root, top, part }: InitPlan, isAsked: boolean): string {
  if (root !== top) return `Workspace ${root}, a part of the repository ${top}`;
  const other = part === undefined || isAsked ? "" : `. To set up only ${part}: ralphctl init --here`;
  return `Workspace ${root}${other === "" ? "" : `, the whole repository${other}`}`;
}

async function committed(plan: InitPlan, io: Io): Promise<string> {
  const commit = await commitInit(plan, io.env);
  return commit === undefined ? "Everything is already committed\n" : `Committed as ${commit}\n`;
}

function uncommittedText({ uncommitted }: InitPlan, input: Input): string {
  const noun = uncommitted.length === 1 ? "this file" : `these ${uncommitted.length} files`;
  return `Not committed. To commit ${noun}: ralphctl init${projectFlag(input)} --yes\n`;
}

const ignoredText = ({ ignored }: InitPlan): string =>
  printable(`Git ignores ${ignored.join(", ")}: not committed, so other clones do not get ${pronoun(ignored)}\n`);

const pronoun = ({ length }: readonly string[]): string => (length === 1 ? "it" : "them");

function projectFlag(input: Input): string {
  const project = textOption(input, "project");
  return project === undefined ? "" : ` --project ${shellWord(project)}`;
}

function nextText({ files, found, specs: own }: InitPlan, input: Input): string {
  const project = textOption(input, "project");
  const specs = project === undefined ? own : `projects/${project}/specs`;
  const isNew = files.some(({ path, outcome }) => path.startsWith(specs) && outcome === "created");
  const isEmpty = isNew && found.length === 0;
  const first = isEmpty ? `Describe what you want in ${specs}/, one file per topic. Then:\n\n` : "Next:\n\n";
  const flag = projectFlag(input);
  const commands = [
    [`ralphctl run --dry-run${flag}`, "shows the prompt the agent will get"],
    [`ralphctl run${flag}`, "plans, then works until the work is proven done"],
  ] as const;
  const width = Math.max(...commands.map(([command]) => command.length));
  return printable(`\n${first}${commands.map(([command, what]) => `  ${command.padEnd(width)}   ${what}\n`).join("")}`);
}
