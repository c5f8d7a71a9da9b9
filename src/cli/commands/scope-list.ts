import { listAllChanges, type ListedScope, listProjects } from "../../app/scopes.ts";
import { printableLine } from "../../domain/printable.ts";
import type { Input } from "../command.ts";
import { printWarnings, surroundings } from "../flags.ts";
import type { Io } from "../io.ts";
import { formatNumber } from "../../format/run-text.ts";
import { printPage } from "../page.ts";
import { isJson, printJsonArray } from "../json.ts";

/** Every project of the workspace, and how it stands. */
export async function projects(input: Input, io: Io): Promise<void> {
  const none = "No projects here. Create one: ralphctl init --project NAME";
  await printScopes(await listProjects(surroundings(input, io)), { input, io, none });
}

/** Every change that is not archived, and how it stands. */
export async function changes(input: Input, io: Io): Promise<void> {
  const none = "No changes here. Create openspec/changes/<id>/proposal.md, or set layouts in the configuration";
  await printScopes(await listAllChanges(surroundings(input, io)), { input, io, none });
}

/** Prints projects or changes, one per line, with their states. `none`: the message for an empty list. */
async function printScopes(
  scopes: readonly ListedScope[],
  { input, io, none }: { readonly input: Input; readonly io: Io; readonly none: string },
): Promise<void> {
  if (isJson(input)) return printJsonArray(io, scopes.map(scopeJson));
  await printPage(io, scopeLines(scopes));
  if (scopes.length === 0) io.err(`${none}\n`);
  for (const { name, problems } of scopes)
    printWarnings(
      io,
      problems.map((problem) => `${name}: ${problem}`),
    );
}

function scopeLines(scopes: readonly ListedScope[]): string {
  const rows = scopes.map(({ name, state, counts, folder }) => [
    printableLine(name),
    STATES[state],
    tasksText(counts),
    printableLine(folder),
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => row[column]!.length)));
  return rows.map((row) => `${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")}\n`).join("");
}

const STATES: Readonly<Record<ListedScope["state"], string>> = {
  ready: "ready",
  plan: "needs a plan",
  running: "running",
  waiting: "waiting for you",
  blocked: "blocked",
  failed: "failed",
  done: "done",
  empty: "empty",
};

function tasksText(counts: ListedScope["counts"]): string {
  if (counts === undefined) return "no tasks";
  const { done, dropped, failed, parked } = counts.leaves;
  const all = Object.values(counts.leaves).reduce((sum, count) => sum + count, 0);
  return [
    `${formatNumber(done + dropped)} of ${formatNumber(all)} settled`,
    ...(failed > 0 ? [`${formatNumber(failed)} failed`] : []),
    ...(parked > 0 ? [`${formatNumber(parked)} parked`] : []),
  ].join(" · ");
}

const scopeJson = ({ name, key, folder, state, counts, problems }: ListedScope): unknown => ({
  name,
  scope: key,
  folder,
  state,
  tasks: counts === undefined ? null : { ...counts.leaves, ready: counts.ready, blocked: counts.blocked },
  problems,
});
