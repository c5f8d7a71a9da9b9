import { join } from "node:path";
import { openSqliteStore } from "../src/store/sqlite.ts";
import type { DecayingWorkspace } from "./decaying-workspace.ts";
import { temporaryFolder } from "./temporary-folder.ts";

interface FoundJson {
  readonly gate: string;
  readonly task: string | null;
  readonly finding: string;
  readonly commit: { readonly id: string; readonly subject: string } | null;
  readonly candidates: readonly { readonly subject: string }[];
  readonly skipped: readonly { readonly subject: string }[];
  readonly culprit: string | null;
  readonly action: string;
  readonly proposal: string | null;
}

interface ReportJson {
  readonly verdict: string;
  readonly findings: readonly FoundJson[];
  readonly elsewhere: readonly string[];
}

/** What `verify --all --json` found, with titles in the place of ids. */
export async function verifyAll(place: DecayingWorkspace, ...args: readonly string[]) {
  const { code, stdout, stderr } = await place.ralphctl("verify", "--all", "--json", ...args);
  const report = JSON.parse(stdout) as ReportJson;
  const found = report.findings.map(({ gate, task, finding, commit, culprit, action }) =>
    [gate, task, finding, commit?.subject ?? null, culprit, action].map((word) => nameOf(place, word)),
  );
  return { code, report, found, stderr };
}

const nameOf = (place: DecayingWorkspace, word: string | null): string | null =>
  place.titles.find((title) => place.idOf(title) === word) ?? word;

export const shown = async (place: DecayingWorkspace, title: string) =>
  [JSON.parse((await place.task("show", place.idOf(title), "--json")).stdout)] as {
    readonly gates: unknown;
    readonly reason: string;
  }[];

/** Every task with its history. */
export async function storedIn({ folder }: DecayingWorkspace): Promise<unknown> {
  await using store = await openSqliteStore({ path: join(folder, ".ralph/ralph.db") });
  const { tasks } = await store.list();
  return await Promise.all(tasks.map(async (task) => [task, await store.attempts(task.id), await store.log(task.id)]));
}

/** A command whose runs follow a pattern: 0 is green. */
export const inTurns = (pattern: string): string => {
  const file = `${temporaryFolder()}/count`;
  const length = pattern.length;
  return `n=$(cat ${file} 2>/dev/null || echo 0); echo $((n + 1)) >${file}; exit $(echo ${pattern} | cut -c$((n % ${length} + 1)))`;
};

/** A configured list of gates. */
export const yaml = (gates: readonly { readonly id: string; readonly run: string }[]): string =>
  `gates:\n${gates.map(({ id, run }) => `  - { id: ${id}, run: ${JSON.stringify(run)} }\n`).join("")}`;
