import { join } from "node:path";
import type { Environment } from "../../domain/environment.ts";
import { RalphError } from "../../domain/error.ts";
import type { Gate, GateResult } from "../../domain/gate.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import type { EnteredRoom, Room } from "../../lane/lane.ts";
import { openRoom, roomFiles } from "../../lane/open-places.ts";
import type { BaseDeps } from "../../loop/ask-base.ts";
import { resultFields } from "../../loop/check.ts";
import { runOnTree } from "../../loop/run-on-tree.ts";
import { checkInside } from "../../system/folder.ts";
import { buildTree } from "../../system/git/commit.ts";
import type { LeftOut } from "../../system/git/commit-filter.ts";
import { git } from "../../system/git/git.ts";
import { readCommit } from "../../system/git/line.ts";
import { openTarget } from "../../system/git/landing.ts";
import type { Repository } from "../../system/git/repository.ts";
import { changesBetween, snapshot } from "../../system/git/snapshot.ts";
import { checkNoConflict } from "../../system/git/unfinished-operation.ts";
import { nameTree } from "../../system/git/tree.ts";
import { inTemporaryFolder } from "../../system/temporary-folder.ts";
import type { Boxes } from "../../system/process/box.ts";
import { boxesFor } from "../sandbox/boxes.ts";
import type { Caller } from "../task/caller.ts";
import { requireTrust } from "../trust/trust.ts";
import type { Workspace } from "../workspace.ts";
import { binFolder, placesRequest } from "./open-places.ts";
import { programEnv } from "./program-env.ts";
import { withHome } from "./with-home.ts";

/** The world of gates that a person has run, without a loop. */
export interface CheckHost extends Caller {
  readonly emit: (event: RunEvent) => void;
  /** W-06: called before anything is started, with all that will be. */
  readonly announce: (commands: readonly Gate[], folder: string) => void;
  readonly stop: AbortSignal;
  readonly kill: AbortSignal;
  /** How ralphctl itself is started. */
  readonly self: readonly [file: string, ...args: string[]];
}

/** A room with the tree to check in it. */
export interface Checks extends EnteredRoom, CheckedTree {
  readonly host: CheckHost;
  readonly workspace: Workspace;
  readonly home: Repository;
  /** The room itself, for other trees. */
  readonly room: Room;
  readonly run: string;
  /** The environment of programs in the person's tree. */
  readonly homeEnv: Environment;
  /** Where outputs go. */
  readonly outputs: string;
  /** What stands around gates and set-up. */
  readonly boxes: Boxes;
}

export interface CheckedTree {
  /** It was proven before. */
  readonly isAgain: boolean;
  readonly tree: string;
  readonly head: string;
  /** Changed files that git would not commit, and that are not in the tree. */
  readonly leftOut: readonly LeftOut[];
}

export interface ChecksRequest extends Pick<Checks, "host" | "workspace"> {
  /** The scope key. */
  readonly scope: string;
  /** The commit alone, without changes on top of it. */
  readonly isClean: boolean;
  /** T-04: a tree that was proven, to be proven again. */
  readonly again?: { readonly tree: string; readonly commit: string | undefined } | undefined;
  /** Evidence names them; otherwise they are gone afterwards. */
  readonly keepsOutputs: boolean;
  /** Lines for `.worktreeinclude` that are not in it. */
  readonly include?: readonly string[] | undefined;
}

/** T-01: opens a room with everything that git would commit. None while a run has the working tree (75). */
export async function withChecks<Result>(
  request: ChecksRequest,
  action: (checks: Checks) => Promise<Result>,
): Promise<Result> {
  const { host, workspace, scope, keepsOutputs } = request;
  await requireTrust(workspace, host);
  return await withHome({ host, root: workspace.root, scope }, async ({ home, run }) => {
    const act = async (outputs: string): Promise<Result> => await inRoom({ ...request, home, run, outputs }, action);
    if (!keepsOutputs) return await inTemporaryFolder("gates", act);
    const kept = join(workspace.root, ".ralph", "runs", run);
    await checkInside(workspace.root, kept);
    return await act(kept);
  });
}

type Opened = ChecksRequest & Pick<Checks, "home" | "run" | "outputs">;

async function inRoom<Result>(opened: Opened, action: (checks: Checks) => Promise<Result>): Promise<Result> {
  const { host, workspace, home, run, scope, outputs } = opened;
  const checked = await treeToCheck(opened);
  const boxes = await boxesFor(workspace, home, host);
  const bin = binFolder(home, workspace, host.env);
  const env = await programEnv({ env: host.env, self: host.self, bin, run, scope, root: workspace.root });
  if (workspace.config.verify.in === "tree" && !opened.isClean) {
    const files = roomFiles(home, { start: checked, entered: await snapshot(home) });
    const here = { root: workspace.root, env, setup: undefined, prepared: "", files };
    const room: Room = { isLane: true, enter: async () => here };
    return await action({ host, workspace, home, homeEnv: env, room, run, outputs, boxes, ...checked, ...here });
  }
  const target = await openTarget(home);
  const about = {
    home,
    workspace,
    landing: { target, head: checked.head },
    run,
    env,
    folder: outputs,
    include: opened.include,
    emit: host.emit,
    boxes,
  };
  const room = await openRoom(placesRequest({ ...about, host: { interrupts: host } }));
  try {
    const entered = await room.enter(checked);
    return await action({ host, workspace, home, homeEnv: env, room, run, outputs, boxes, ...checked, ...entered });
  } finally {
    await room.close();
  }
}

async function treeToCheck({ home, workspace, isClean, again }: Opened): Promise<CheckedTree> {
  // T-02: only a room can have another tree than the one that is there.
  const isAgain = !isClean && workspace.config.verify.in !== "tree";
  if (again?.commit !== undefined && isAgain) return await provenTree(home, { ...again, commit: again.commit });
  const now = await snapshot(home);
  const { head } = now;
  if (head === undefined) {
    throw new RalphError("config", "There is no commit yet, so there is nothing to check", { hint: "Commit first" });
  }
  await checkNoConflict(home);
  const { tree } = await nameTree(home, head, []);
  if (isClean) return { tree, head, leftOut: [], isAgain: false };
  const base = { ...now, tree, changed: [] };
  const changes = await changesBetween(home, base, now);
  const { git, commit } = workspace.config;
  const rules = { maxFileBytes: git.maxFile, allow: commit.allow, inputs: [] };
  return { head, isAgain: false, ...(await buildTree(home, { base, changes }, rules)) };
}

async function provenTree(home: Repository, { tree, commit }: { readonly tree: string; readonly commit: string }) {
  const found = await git(home, ["cat-file", "-e", `${tree}^{tree}`]);
  if (found.code === 0) return { tree, head: commit, leftOut: [], isAgain: true };
  throw new RalphError("config", `Git no longer has the tree ${tree.slice(0, 10)} that was proven`, {
    hint: "Prove the last commit instead: ralphctl verify --clean TASK",
  });
}

/** Set-up runs before the gates are known, so its result comes after their announcement. */
export function tellSetup({ host, workspace, setup }: Checks): void {
  if (setup !== undefined) host.emit({ type: "gate.finished", ...resultFields(workspace, setup) });
}

/** Gates that know the same of a task. */
export interface CheckGroup {
  readonly gates: readonly Gate[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Runs one group after the other. Results are in the order of the groups. Starts nothing after a stop. */
export async function runGroups(checks: Checks, groups: readonly CheckGroup[]): Promise<GateResult[][]> {
  const { host, run, outputs, root, env, home, room, head, tree, boxes } = checks;
  const deps: BaseDeps = {
    runId: run,
    root,
    env,
    boxes,
    ...tellingWarnings(host),
    stop: host.stop,
    kill: host.kill,
    home,
    room,
    gates: { pinned: [] },
  };
  const results: GateResult[][] = [];
  const isCommit = (await nameTree(home, head, [])).tree === tree;
  const base = isCommit ? async () => (await readCommit(home, head)).parent : head;
  for (const [index, { gates, env: about }] of groups.entries()) {
    const name = `gates-${index}`;
    const place = { cwd: root, outputFolder: join(outputs, name), env: about, name };
    results.push([...(await runOnTree(deps, { room: checks, head, tree, gates, place, base }))]);
  }
  return results;
}

/** Warnings about gates go to the person. */
export const tellingWarnings = ({ emit, notice }: CheckHost): Pick<BaseDeps, "emit" | "told"> => ({
  emit: (event) => (event.type === "run.notice" ? notice(event.text) : emit(event)),
  told: new Set(),
});
