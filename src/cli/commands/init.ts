import { commitInit, type InitReport, initWorkspace } from "../../app/init.ts";
import { printable } from "../../domain/printable.ts";
import { shellWord } from "../../domain/shell-word.ts";
import { type Input, textOption } from "../command.ts";
import type { Io } from "../io.ts";

/** Sets up a workspace, says what it wrote, and commits that if it may. */
export async function run(input: Input, io: Io): Promise<void> {
  const project = textOption(input, "project");
  const force = input.options["force"] === true;
  const report = await initWorkspace({ cwd: io.cwd, env: io.env, project, force });
  io.out(reportText(report));
  await offerCommit(report, input, io);
  io.out(nextText(report, input));
}

function reportText({ root, files, harnesses }: InitReport): string {
  const lines = files.map(({ path, outcome }) => `  ${outcome.padEnd(8)}  ${path}`);
  const agents =
    harnesses.length > 0
      ? `Agents found: ${harnesses.join(", ")}`
      : "No agent was found on PATH. Install one, or set `harness` in .ralph/config.yaml";
  return printable(`Workspace ${root}\n\n${lines.join("\n")}\n\n${agents}\n`);
}

async function offerCommit(report: InitReport, input: Input, io: Io): Promise<void> {
  const { uncommitted } = report;
  if (uncommitted.length === 0) return;
  const noun = uncommitted.length === 1 ? "this file" : `these ${uncommitted.length} files`;
  if (input.options["yes"] === true || (io.isInteractive && (await io.confirm(`Commit ${noun}?`)))) {
    const commit = await commitInit(report, io.env);
    io.out(commit === undefined ? "Everything is committed already\n" : `Committed as ${commit}\n`);
    return;
  }
  io.out(`Not committed. To commit ${noun}: ralphctl init${projectFlag(input)} --yes\n`);
}

function projectFlag(input: Input): string {
  const project = textOption(input, "project");
  return project === undefined ? "" : ` --project ${shellWord(project)}`;
}

function nextText({ files }: InitReport, input: Input): string {
  const project = textOption(input, "project");
  const specs = project === undefined ? ".ralph/specs" : `projects/${project}/specs`;
  const isNew = files.some(({ path, outcome }) => path.startsWith(specs) && outcome === "created");
  const first = isNew ? `Write what you want into ${specs}/, one file per subject. Then:\n\n` : "Next:\n\n";
  const flag = projectFlag(input);
  const commands = [
    [`ralphctl run --dry-run${flag}`, "shows what the agent will be told"],
    [`ralphctl run${flag}`, "plans, then works until it is proven done"],
  ] as const;
  const width = Math.max(...commands.map(([command]) => command.length));
  return `\n${first}${commands.map(([command, what]) => `  ${command.padEnd(width)}   ${what}\n`).join("")}`;
}
