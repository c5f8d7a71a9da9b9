import type { FileChange } from "../domain/change.ts";
import { RalphError } from "../domain/error.ts";
import type { PinnedGate } from "../domain/gate.ts";
import { matchesAny } from "../domain/glob.ts";
import type { Repository } from "../system/git/repository.ts";
import { changedAtMs, changesBetween, snapshot, type Snapshot } from "../system/git/snapshot.ts";
import { asTheyWere, saveAndRestore } from "./take-back.ts";
import { readWorkRecord, type WorkRecord } from "./work-record.ts";
import { ourPaths } from "./work-tree.ts";

/** What an earlier run was judged by, where unproven work of its sessions still lies in the tree. */
export interface InheritedPolicy {
  /** Discovered gates; `head`: those that this commit defines. Undefined: those of the tree hold. */
  readonly gates: readonly PinnedGate[] | { readonly head: string } | undefined;
  /** Protected files that a session changed, as they are still. */
  readonly changed: readonly FileChange[];
  readonly base: Snapshot;
  readonly now: Snapshot;
}

/**
 * P-16, P-17: what was rejected stays in the tree, and must not judge itself in the next run. Undefined where nothing
 * unproven lies there. `crashedBeforeMs`: what was written after that is a person's, also where a session was cut off.
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

/** Somebody committed since: what their commit defines holds, unless it stands on commits of the session's. */
function gatesOf({ rules, base, left }: WorkRecord, now: Snapshot): InheritedPolicy["gates"] {
  const isMoved = left !== undefined && left.head !== now.head;
  const isOnSession = left !== undefined && left.head !== base.head;
  return isMoved && !isOnSession && now.head !== undefined ? { head: now.head } : rules?.gates;
}

/** What is known to be a person's: their own changes, what they committed, and what was written after a kill. */
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

/** Puts protected files back to what they were before the session; what they were is kept. Returns what to tell. */
export async function restoreProtected(
  repository: Repository,
  { changed, base, now }: InheritedPolicy,
  run: string,
): Promise<string[]> {
  if (changed.length === 0) return [];
  const { restored, left, saved } = await saveAndRestore(
    repository,
    { base, now },
    { run, name: "protected", subject: "Protected files that a session changed", files: asTheyWere(changed) },
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
