import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { TaskGate } from "../src/domain/task.ts";
import type { Store } from "../src/store/store.ts";
import { openSqliteStore } from "../src/store/sqlite.ts";
import { processIdentity } from "../src/system/process/process-identity.ts";
import { type LoopWorkspace, loopWorkspace } from "./loop-workspace.ts";
import { commitAll, git, write } from "./temporary-folder.ts";

/** A commit of a history: a task's, or else a person's. */
export interface Step {
  readonly files?: Readonly<Record<string, string>>;
  readonly subject: string;
  /** Its own gate, as `sh` runs it; empty: it has none. */
  readonly task?: string;
  /** A trailer in a person's commit, in which `{title}` is the id of a task. */
  readonly trailer?: string;
  /** Made on a branch, and merged. */
  readonly isMerged?: true;
  /** The person changes its message afterwards, or puts it on other work. */
  readonly isRewritten?: true;
}

export interface DecayingWorkspace extends LoopWorkspace {
  /** Commits and tasks by subject. */
  readonly commit: (subject: string) => string;
  readonly idOf: (title: string) => string;
  readonly titles: readonly string[];
}

interface Made {
  readonly folder: string;
  readonly store: Store;
  /** Gates of the workspace that every claim was checked by. */
  readonly gates: readonly Pick<TaskGate, "id" | "run">[];
  readonly tasks: Map<string, string>;
}

/** A workspace whose tasks are done, with the records that runs leave. */
export async function decayingWorkspace(
  steps: readonly Step[],
  { config, gates }: { readonly config: string; readonly gates: Made["gates"] },
): Promise<DecayingWorkspace> {
  const place = await loopWorkspace({ script: "- - say: Nothing.", tasks: [], config });
  const { folder } = place;
  await place.task("list");
  await using store = await openSqliteStore({ path: join(folder, ".ralph/ralph.db") });
  const tasks = new Map<string, string>();
  for (const step of steps) await play({ folder, store, gates, tasks }, step);
  return {
    ...place,
    commit: (subject) => git(folder, "log", "--format=%H", "--fixed-strings", `--grep=${subject}`, "-1").trim(),
    idOf: (title) => tasks.get(title)!,
    titles: [...tasks.keys()],
  };
}

async function play(made: Made, step: Step): Promise<void> {
  const { folder } = made;
  write(folder, step.files ?? { "log.txt": `${step.subject}\n` });
  if (step.task !== undefined) return await playTask(made, { ...step, task: step.task });
  if (step.isMerged === true) git(folder, "checkout", "--quiet", "-b", "side");
  const trailer = step.trailer?.replace(/\{(.*)\}/, (_, title: string) => made.tasks.get(title)!);
  commitAll(folder, trailer === undefined ? step.subject : `${step.subject}\n\n${trailer}`);
  if (step.isMerged !== true) return;
  git(folder, "checkout", "--quiet", "main");
  git(folder, "merge", "--quiet", "--no-ff", "-m", `Merge ${step.subject}`, "side");
  git(folder, "branch", "--quiet", "-D", "side");
}

/** As `settle.ts` does it: verdict, commit, landing, settlement. */
async function playTask(
  { folder, store, gates, tasks }: Made,
  { subject, task: run, isRewritten }: Step & { readonly task: string },
) {
  const own = run === "" ? [] : [{ id: "own", run, retries: 0 }];
  const [id = ""] = await store.add([{ scope: "workspace", title: subject, gates: own }]);
  tasks.set(subject, id);
  const claim = (await store.claim({ only: [id], owner: processIdentity(), leaseMs: 60_000 }))!;
  const parent = git(folder, "rev-parse", "HEAD").trim();
  commitAll(folder, `${subject}\n\nRalph-Task: ${id}`);
  const tree = git(folder, "rev-parse", "HEAD^{tree}").trim();
  const evidenceOf = (kind: string) => (gate: Pick<TaskGate, "id" | "run">) => ({
    gate: gate.id,
    kind,
    command: gate.run,
    passed: spawnSync("sh", ["-c", gate.run], { cwd: folder }).status === 0,
  });
  const evidence = {
    v: 2,
    lands: true,
    gates: [...own.map(evidenceOf("task")), ...gates.map(evidenceOf("workspace"))],
  };
  await store.recordVerdict(claim.lease, { tree, commit: parent, evidence });
  await store.setMeta(`landed/${id}`, {
    ref: "refs/ralph/target/main",
    commit: git(folder, "rev-parse", "HEAD").trim(),
  });
  await store.settle(claim.lease, { outcome: "verified", to: "done", counted: true });
  if (isRewritten !== true) return;
  // As a rebase does it: other work comes below it.
  const message = git(folder, "log", "-1", "--format=%B");
  git(folder, "reset", "--quiet", "--hard", parent);
  write(folder, { "below.txt": subject });
  commitAll(folder, `Come before ${subject}`);
  git(folder, "read-tree", "-m", "-u", tree);
  write(folder, { "below.txt": subject });
  commitAll(folder, message);
}
