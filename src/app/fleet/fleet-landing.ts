import { type ErrorKind, RalphError } from "../../domain/error.ts";
import type { Fleet } from "../../store/store.ts";
import { moveLanding, openTarget, readLanding, saveLostLanding } from "../../system/git/landing.ts";
import { firstParentLine } from "../../system/git/line.ts";
import { isAncestor } from "../../system/git/ref.ts";
import { fetchLanding, publishLanding, type RemoteTarget } from "../../system/git/remote.ts";
import type { RemoteTrouble } from "../../system/git/remote-trouble.ts";
import type { Repository } from "../../system/git/repository.ts";
import { nameTree } from "../../system/git/tree.ts";
import type { OpenLanding } from "../run/open-landing.ts";

interface FleetLandingRequest {
  readonly shared: Fleet;
  /** The name of the git remote. */
  readonly remote: string;
  /** Undefined: that of the working tree. */
  readonly branch: string | undefined;
  readonly run: string;
  /** It says what the run begins with; workers take over what was proven. */
  readonly isFollower: boolean;
  readonly leaseMs: number;
}

/** The landing of a fleet at the start: what the remote has. The branch here follows. */
export async function openFleetLanding(
  home: Repository,
  request: FleetLandingRequest,
): Promise<OpenLanding & { readonly remote: RemoteTarget }> {
  const target = await openTarget(home, request.branch);
  if (target.branch === undefined) throw detached();
  const remote = { remote: request.remote, branch: target.branch };
  const seen = await fetchLanding(home, remote);
  if ("trouble" in seen) throw troubleError(seen);
  if (seen.head === undefined) throw noBranch(remote);
  const head = request.isFollower
    ? await beginAt(home, { ...request, place: remote, head: seen.head })
    : await lastProven(home, { ...request, place: remote, head: seen.head });
  const from = await readLanding(home, target);
  const isLost = from !== undefined && from !== head && !(await isAncestor(home, from, head));
  const lost = isLost ? await saveLostLanding(home, target) : undefined;
  if (from !== head) await moveLanding(home, target, { from, to: head, subject: "begin at the remote's branch" });
  const notices =
    lost === undefined
      ? []
      : [`${remote.branch} on ${remote.remote} has another history than this clone had; its own is ${lost}`];
  return { target, head, notices, isFirst: false, remote };
}

const detached = (): RalphError =>
  new RalphError("config", "HEAD is detached here, and a fleet lands on a branch", {
    hint: "Switch to the branch, or name it: --branch",
  });

const noBranch = ({ remote, branch }: RemoteTarget): RalphError =>
  new RalphError("config", `The remote ${remote} has no branch ${branch}, on which the fleet would land`, {
    hint: `Push it: git push ${remote} ${branch}`,
  });

const KINDS: Readonly<Record<RemoteTrouble["trouble"], ErrorKind>> = {
  unreachable: "unavailable",
  refused: "config",
  "no rights": "login",
  "no remote": "config",
  "no such ref": "config",
  moved: "busy",
};

const troubleError = ({ trouble, why, remedy }: RemoteTrouble): RalphError =>
  new RalphError(KINDS[trouble], why, { hint: remedy });

interface Begin extends FleetLandingRequest {
  readonly place: RemoteTarget;
  readonly head: string;
}

const keyOf = ({ branch }: RemoteTarget): string => `refs/heads/${branch}`;

/** The run begins with the remote's branch as it is. Finds out before any session whether the remote takes a push. */
async function beginAt(home: Repository, request: Begin): Promise<string> {
  const { shared, place, run, leaseMs } = request;
  const target = keyOf(place);
  const taken = await shared.takeLander(target, { owner: shared.owner, leaseMs });
  // A worker of an adopted run lands at the moment.
  if (taken === undefined) return await lastProven(home, request);
  const { epoch } = taken;
  try {
    for (;;) {
      const from = await fetchLanding(home, place);
      if ("trouble" in from) throw troubleError(from);
      if (from.head === undefined) throw noBranch(place);
      const { head: to } = from;
      const said = await publishLanding(home, place, { from, to: undefined, epoch });
      if (said === "moved") continue;
      if ("trouble" in said) throw troubleError(said);
      if ((await shared.landedBy(target, [to])).has(to)) return to;
      const { tree } = await nameTree(home, to, []);
      const intent = { target, epoch, from: to, to, tree, run };
      await shared.addIntent(intent);
      await shared.closeIntent(intent, { epoch, how: "landed" });
      return to;
    }
  } finally {
    await shared.leaveLander(target, epoch);
  }
}

const LONGEST_LINE = 500;

/** What others proved last: a person may have pushed something since, which has to be proven first. */
async function lastProven(home: Repository, { shared, place, head }: Begin): Promise<string> {
  const { commits } = await firstParentLine(home, head);
  const newest = commits
    .map(({ id }) => id)
    .toReversed()
    .slice(0, LONGEST_LINE);
  const target = keyOf(place);
  const landed = await shared.landedBy(target, newest);
  const open = new Set((await shared.openIntents(target)).map(({ to }) => to));
  return newest.find((commit) => landed.has(commit) || open.has(commit)) ?? head;
}
