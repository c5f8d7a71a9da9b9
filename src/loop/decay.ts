import type { DecayFinding } from "../domain/decay.ts";
import type { Task, TaskId } from "../domain/task.ts";
import type { CommitLine } from "../system/git/line.ts";
import { reopenFor } from "./breaks.ts";
import type { DecayDeps } from "./look-at-commit.ts";
import { type OnLook, type RedCheck, searchCulprit, type Searched } from "./search-culprit.ts";
import { ownerOf, readRecords, type VerdictRecords } from "./verdict-records.ts";

export interface Decay {
  readonly findings: readonly DecayFinding[];
  /** Tasks as they are after they were reopened. */
  readonly reopened: readonly Task[];
  readonly isStopped: boolean;
}

/** T-30: finds out since when gates are red, and reopens the tasks whose commits broke them. */
export async function explainRed(
  deps: DecayDeps,
  red: readonly RedCheck[],
  { line, onLook = () => undefined }: { readonly line: CommitLine; readonly onLook?: OnLook },
): Promise<Decay> {
  const findings: Searched[] = [];
  if (red.length === 0) return { findings, reopened: [], isStopped: false };
  const records = await readRecords(deps.store);
  for (const one of red) {
    const found = await searchCulprit({ deps, line, records, onLook }, one);
    // Half of an answer could blame a task for a part of what it broke.
    if (found === "stopped") return { findings, reopened: [], isStopped: true };
    if (found !== "holds") findings.push(found);
  }
  return { ...(await blameAll(deps, findings, records)), isStopped: false };
}

/** Each task once, with everything that it broke. */
async function blameAll(
  { home, store }: DecayDeps,
  findings: readonly Searched[],
  records: VerdictRecords,
): Promise<Pick<Decay, "findings" | "reopened">> {
  const owners = new Map<Searched, Task | undefined>();
  for (const finding of findings) {
    if (finding.at !== undefined) owners.set(finding, await ownerOf(home, records, finding.at));
  }
  const actions = new Map<TaskId, DecayFinding["action"]>();
  const reopened: Task[] = [];
  for (const task of new Set(owners.values())) {
    if (task === undefined) continue;
    const broken = findings.filter((finding) => owners.get(finding) === task);
    const answer = await reopenFor(store, task, broken);
    actions.set(task.id, answer.action);
    if (answer.task !== undefined) reopened.push(answer.task);
  }
  const told = findings.map((finding): DecayFinding => {
    const { at, ...rest } = finding;
    const culprit = owners.get(finding);
    const action = culprit === undefined ? "proposed" : (actions.get(culprit.id) ?? "none");
    return at === undefined ? rest : { ...rest, culprit, action };
  });
  return { findings: told, reopened };
}
