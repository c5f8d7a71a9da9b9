import type { FileChange } from "../domain/change.ts";
import { RalphError } from "../domain/error.ts";
import type { PinnedGate } from "../domain/gate.ts";
import { matchesAny } from "../domain/glob.ts";
import type { Repository } from "../system/git/repository.ts";
import { changedAtMs, changesBetween, snapshot, type Snapshot } from "../system/git/snapshot.ts";
import { statesBefore, saveAndRestore } from "./take-back.ts";
import { readWorkRecord, type WorkRecord } from "./work-record.ts";
import { ourPaths } from "./work-tree.ts";

/** The rules of an earlier run whose unproven work is still in the tree. */
export interface InheritedPolicy {
  /** Discovered gates; `head`: those that this commit defines; undefined: those of the tree. */
  readonly gates: readonly PinnedGate[] | { readonly head: string } | undefined;
  /** Protected files that still have a session's changes. */
  readonly changed: readonly FileChange[];
  readonly base: Snapshot;
  readonly now: Snapshot;
}

/**
 * P-16, P-17: rejected work stays in the tree, and must not judge itself in the next run. Undefined if there is no
 * unproven work. `crashedBeforeMs`: files written after that time are a person's, even if a session was killed.
 */
export async function inheritedPolicy(
  repository: Repository,
  crashedBeforeMs: number | undefined,
): Promise<InheritedPolicy | undefined> {
  const record = readWorkRecord(repository);
  if (record?.rules === undefined) return undefined;
  const { rules, base } = record;
  const now = await snapshot(repository);
  const ours = await ourPaths(repository, { record, now, commits: true, theirs: new Set() });
  if (ours.size === 0) return undefined;
  const isPersons = personsIn(record, now, crashedBeforeMs);
  const changes = await changesBetween(repository, base, now);
  const changed = changes.filter(
    ({ path, before }) => before !== undefined && ours.has(path) && matchesAny(rules.protect, path) && !isPersons(path),
  );
  return { gates: rules.gates && gatesOf(record, now), changed, base, now };
}

/** If somebody has committed since, their commit defines the gates, unless it is based on commits of the session. */
function gatesOf({ rules, base, left }: WorkRecord, now: Snapshot): InheritedPolicy["gates"] {
  const isMoved = left !== undefined && left.head !== now.head;
  const isOnSession = left !== undefined && left.head !== base.head;
  return isMoved && !isOnSession && now.head !== undefined ? { head: now.head } : rules?.gates;
}

/** Paths that a person changed: their own changes, their commits, and files written after a kill. */
function personsIn({ left, userPaths }: WorkRecord, now: Snapshot, crashedBeforeMs: number | undefined) {
  const open = new Map(now.changed.map((state) => [state.path, state]));
  const isMoved = left !== undefined && left.head !== now.head;
  return (path: string): boolean => {
    const state = open.get(path);
    if (userPaths.includes(path)) return true;
    if (state === undefined) return isMoved;
    return left === undefined && crashedBeforeMs !== undefined && (changedAtMs(state) ?? 0) > crashedBeforeMs;
  };
}

/** Saves and reverts a session's changes to protected files. Returns notices for a person. */
export async function restoreProtected(
  repository: Repository,
  { changed, base, now }: InheritedPolicy,
  run: string,
): Promise<string[]> {
  if (changed.length === 0) return [];
  const { restored, left, saved } = await saveAndRestore(
    repository,
    { base, now },
    { run, name: "protected", subject: "Protected files that a session changed", files: statesBefore(changed) },
  );
  if (left.length > 0) {
    throw new RalphError("config", `A session changed ${left.join(", ")}, and git does not have the earlier content`, {
      hint: "Check these files and commit what you want to keep",
    });
  }
  const kept = saved === undefined ? "" : `; saved as ${saved.ref}`;
  return [
    `Restored protected files that a session of an earlier run had changed: ${restored.join(", ")}${kept}. ` +
      "To keep such a change, commit it yourself",
  ];
}
