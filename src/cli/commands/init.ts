import { commitInit, committable, type InitReport, initWorkspace } from "../../app/init.ts";
import { type Input, textOption } from "../command.ts";
import type { Io } from "../io.ts";

/** Sets up a workspace, says what it wrote, and commits that if it may. */
export async function run(input: Input, io: Io): Promise<void> {
  const project = textOption(input, "project");
  const force = input.options["force"] === true;
  const report = await initWorkspace({ cwd: io.cwd, searchPath: io.env["PATH"] ?? "", project, force });
  io.out(reportText(report));
  await offerCommit(report, input.options["yes"] === true, io);
  io.out(nextText(report, project));
}

function reportText({ root, files, harnesses }: InitReport): string {
  const lines = files.map(({ path, outcome }) => `  ${outcome.padEnd(8)}  ${path}`);
  const agents =
    harnesses.length > 0
      ? `Agents found: ${harnesses.join(", ")}`
      : "No agent was found on PATH. Install one, or set `harness` in .ralph/config.yaml";
  return `Workspace ${root}\n\n${lines.join("\n")}\n\n${agents}\n`;
}

async function offerCommit(report: InitReport, yes: boolean, io: Io): Promise<void> {
  const paths = await committable(report);
  if (paths.length === 0) return;
  if (yes || (io.isInteractive && (await io.confirm(`Commit these ${paths.length} files?`)))) {
    io.out(`Committed as ${await commitInit(report.root, paths)}\n`);
  } else {
    io.out(`Not committed. To commit: git add ${paths.join(" ")} && git commit -m "Set up ralphctl"\n`);
  }
}

function nextText({ files }: InitReport, project: string | undefined): string {
  const specs = project === undefined ? ".ralph/specs" : `projects/${project}/specs`;
  const flag = project === undefined ? "" : ` --project ${project}`;
  const isNew = files.some(({ path, outcome }) => path.startsWith(specs) && outcome === "created");
  const first = isNew ? `Write what you want into ${specs}/, then see what the agent will be told:\n\n` : "Next:\n\n";
  return `\n${first}  ralphctl prompt plan${flag}\n`;
}
