import { join } from "node:path";
import { NOTHING_USED } from "../src/domain/usage.ts";
import type { Room } from "../src/lane/lane.ts";
import type { Attempted } from "../src/loop/attempt.ts";
import type { Candidate } from "../src/loop/candidate.ts";
import type { LaneState } from "../src/loop/run-state.ts";
import { noEffects } from "../src/loop/session-effects.ts";
import { repositoryAt } from "./git-place.ts";
import { addTask, startTestRun, untouchedFiles } from "./running.ts";
import { commitAll, git, temporaryFolder, temporaryRepository, write } from "./temporary-folder.ts";

type Files = Readonly<Record<string, string>>;

export interface ClaimedWork {
  readonly lane: LaneState;
  readonly attempt: Attempted;
  readonly built: Candidate;
}

/** Work that a session claims, on top of a base, in a run whose room holds the trees that it is asked to prove. */
export async function claimedWork(base: Files, work: Files, gone?: string): Promise<ClaimedWork> {
  const folder = temporaryRepository(base);
  const head = git(folder, "rev-parse", "HEAD").trim();
  write(folder, work);
  if (gone !== undefined) git(folder, "rm", "-r", "--quiet", gone);
  commitAll(folder, "Work");
  const tree = git(folder, "rev-parse", "HEAD^{tree}").trim();
  git(folder, "reset", "--quiet", "--hard", head);
  const root = temporaryFolder();
  const enter: Room["enter"] = async (start) => {
    git(folder, `--work-tree=${root}`, "read-tree", "--reset", "-u", start.tree);
    return { root, env: {}, setup: undefined, prepared: "", files: untouchedFiles };
  };
  const { lane } = await startTestRun(await repositoryAt(folder), { room: { enter } });
  const task = await addTask(lane);
  const attempt: Attempted = {
    claim: { task, lease: { task: task.id, fence: 1, owner: lane.deps.owner } },
    earlier: [],
    lost: undefined,
    iteration: 1,
    startedMs: 0,
    folder: join(lane.deps.folder, "1"),
    agent: lane.deps.agents[0],
    model: undefined,
    session: {
      outcome: { kind: "done" },
      message: "",
      usage: NOTHING_USED,
      swept: 0,
      durationMs: 0,
      given: "",
      sessionId: undefined,
      stoppedBy: undefined,
      isOverBudget: false,
    },
    effects: noEffects(lane.last),
  };
  const paths = Object.keys(work);
  const own = { tree, paths };
  const built = { tree, head, paths, work: own, leftOut: [], planWrites: 0, rewrite: async () => undefined };
  return { lane, attempt, built };
}
