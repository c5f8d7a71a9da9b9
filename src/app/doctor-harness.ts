import { basename, dirname, join } from "node:path";
import { RalphError } from "../domain/error.ts";
import { readTextFile } from "../system/text-file.ts";
import type { Finding } from "./doctor.ts";
import { eventsIn, runLogs } from "./run/run-events.ts";
import { openWorkspace, type Surroundings, type Workspace } from "./workspace.ts";

/** What a person should know of the agents: told only when there is something to tell. Starts none of them. */
export async function harnessFindings(surroundings: Surroundings): Promise<Finding[]> {
  const workspace = await openWorkspace(surroundings).catch((error: unknown) => {
    // Without a workspace, or with a configuration that cannot be read, there is nothing to look at.
    if (error instanceof RalphError) return undefined;
    throw error;
  });
  return workspace === undefined ? [] : [...(await unknownOutput(workspace)), ...(await repositoryHooks(workspace))];
}

/** Agents change what they print: when most of it is not understood any more, claims and costs may be missed. */
async function unknownOutput({ root }: Workspace): Promise<Finding[]> {
  const file = (await runLogs(root)).at(-1);
  if (file === undefined) return [];
  const newest = basename(dirname(file));
  let harness = "the agent";
  let found: string | undefined;
  for await (const { event } of eventsIn(file)) {
    if (event.type === "iteration.started") ({ harness } = event);
    if (event.type !== "agent.unknown" || event.lines * 2 <= event.of) continue;
    found = `${event.lines} of ${event.of} lines that ${harness} printed in iteration ${event.iteration} of ${newest} were not understood`;
  }
  if (found === undefined) return [];
  const fix = "Use a version of it that docs/reference/harnesses.md names, or a newer ralphctl";
  return [{ level: "warning", check: "harness", message: found, fix }];
}

const CLAUDE_SETTINGS = [".claude/settings.json", ".claude/settings.local.json"];

/** The user's own hooks stay out of a session; those that the repository brings do not. */
async function repositoryHooks({ root, config }: Workspace): Promise<Finding[]> {
  if (!config.harness.includes("claude")) return [];
  const findings: Finding[] = [];
  for (const path of CLAUDE_SETTINGS) {
    const rules = { limitBytes: 1024 * 1024, what: `The file ${path}` };
    const text = await readTextFile(join(root, path), rules).catch(() => undefined);
    if (text === undefined || !/"hooks"\s*:\s*\{\s*"/.test(text)) continue;
    const message = `The hooks in ${path} run in every session of Claude Code`;
    findings.push({ level: "warning", check: "harness", message, fix: "Check that they need nobody at the terminal" });
  }
  return findings;
}
