import { iterationsOf } from "../../domain/run/timeline.ts";
import { type InspectedSession, sessionOf } from "./iteration.ts";
import { readTimeline } from "./read-timeline.ts";
import { allRunLogs } from "../run/run-logs.ts";
import { askedScopeKey, openWorkspace, type ScopeChoice, type Surroundings } from "../workspace.ts";

/** The sessions of one or all scopes in every working tree, oldest first. Read-only (W-06). */
export async function listSessions(choice: ScopeChoice, surroundings: Surroundings): Promise<InspectedSession[]> {
  const workspace = await openWorkspace(surroundings);
  const key = await askedScopeKey(workspace, choice);
  const all: InspectedSession[] = [];
  for (const log of await allRunLogs(workspace.root)) {
    const timeline = await readTimeline(log);
    const records = timeline === undefined ? [] : iterationsOf(timeline);
    const wanted = records.filter(({ scope }) => key === undefined || scope === key);
    all.push(...wanted.map((record) => sessionOf(record, log.root, workspace)));
  }
  return all.toSorted((a, b) => a.record.startedAtMs - b.record.startedAtMs);
}
