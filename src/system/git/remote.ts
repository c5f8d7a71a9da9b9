import { mustBytes } from "./git.ts";
import { askRemote, type RemoteTrouble } from "./remote-trouble.ts";
import { idIn, readRefs, refPart } from "./ref.ts";
import { QUIET, type Repository } from "./repository.ts";

// F-03: machines of a fleet share a git remote. Its branch is what landed; git's compare-and-swap push decides who lands.

/** Where all machines of a fleet land. */
export interface RemoteTarget {
  /** The name of the remote, such as `origin`. */
  readonly remote: string;
  /** The short name of the branch. */
  readonly branch: string;
}

/** What the remote has. */
export interface RemoteLanding {
  /** The branch's commit, which is here now, too; undefined: there is no such branch. */
  readonly head: string | undefined;
  /** The object by which a lander that is too late is refused; undefined before the first landing. */
  readonly lander: string | undefined;
}

const branchRef = ({ branch }: RemoteTarget): string => `refs/heads/${branch}`;
const landerRef = ({ branch }: RemoteTarget): string => `refs/ralph/lander/${branch}`;
/** The remote's branch as it was last seen; never `refs/remotes`, which is the person's. */
const seenRef = ({ branch }: RemoteTarget): string => `refs/ralph/remote/${branch}`;
const CANDIDATES = "refs/ralph/work/";
export const candidateRef = (task: string, fence: number): string => `${CANDIDATES}${refPart(task)}/${fence}`;

/** By repository: lanes that ask at the same moment would be in each other's way when they write the same ref. */
const asking = new Map<string, Promise<unknown>>();

/** Asks the remote what landed, and brings its commits here. */
export async function fetchLanding(home: Repository, target: RemoteTarget): Promise<RemoteLanding | RemoteTrouble> {
  const before = asking.get(home.commonFolder) ?? Promise.resolve();
  const mine = before.then(async () => await fetchNow(home, target));
  asking.set(
    home.commonFolder,
    mine.catch(() => undefined),
  );
  return await mine;
}

async function fetchNow(home: Repository, target: RemoteTarget): Promise<RemoteLanding | RemoteTrouble> {
  const refs = [branchRef(target), landerRef(target)];
  const listed = await askRemote(home, target.remote, ["ls-remote", "--refs", target.remote, ...refs]);
  if ("trouble" in listed) return listed;
  const lines = listed.stdout.split("\n").map((line) => line.split("\t"));
  const at = (ref: string): string | undefined => lines.find(([, name]) => name === ref)?.[0];
  const head = at(branchRef(target));
  const lander = at(landerRef(target));
  const seen = seenRef(target);
  if (head === undefined || (await readRefs(home, [seen])).get(seen) === head) return { head, lander };
  const fetched = await fetchRef(home, target.remote, { ref: branchRef(target), as: seen });
  // It may have moved again. What was read of the other ref is older then, and a push that relies on it is refused.
  return fetched === undefined ? { head: (await readRefs(home, [seen])).get(seen) ?? head, lander } : fetched;
}

/** Undefined: it is here. */
async function fetchRef(
  home: Repository,
  remote: string,
  { ref, as }: { readonly ref: string; readonly as: string },
): Promise<RemoteTrouble | undefined> {
  const quiet = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules"];
  const fetched = await askRemote(home, remote, ["fetch", ...quiet, remote, `+${ref}:${as}`]);
  return "trouble" in fetched ? fetched : undefined;
}

/** A candidate of a machine. */
export interface RemoteCandidate {
  readonly task: string;
  readonly fence: number;
  readonly commit: string;
}

/** Keeps a candidate on the remote, so that another machine can land it. */
export async function pushCandidate(
  home: Repository,
  { remote }: Pick<RemoteTarget, "remote">,
  { task, fence, commit }: RemoteCandidate,
): Promise<RemoteTrouble | undefined> {
  const pushed = await askRemote(home, remote, [...PUSH, remote, `+${commit}:${candidateRef(task, fence)}`]);
  return "trouble" in pushed ? pushed : undefined;
}

/** Brings another machine's candidate here, under a ref of ours. Undefined if the remote does not have it. */
export async function fetchCandidate(
  home: Repository,
  { remote }: Pick<RemoteTarget, "remote">,
  { task, fence }: Omit<RemoteCandidate, "commit">,
): Promise<string | RemoteTrouble | undefined> {
  const ref = candidateRef(task, fence);
  const as = `refs/ralph/proving/${refPart(task)}`;
  const trouble = await fetchRef(home, remote, { ref, as });
  if (trouble !== undefined) return trouble.trouble === "no such ref" ? undefined : trouble;
  return (await readRefs(home, [as])).get(as);
}

/** All that machines keep there; none from a remote that does not answer. */
export async function listCandidates(
  home: Repository,
  { remote }: Pick<RemoteTarget, "remote">,
): Promise<Omit<RemoteCandidate, "commit">[]> {
  const listed = await askRemote(home, remote, ["ls-remote", "--refs", remote, `${CANDIDATES}*`]);
  if ("trouble" in listed) return [];
  const names = listed.stdout.split("\n").map((line) => /\trefs\/ralph\/work\/(.+)\/(\d+)$/.exec(line));
  return names.flatMap((found) => (found ? { task: idIn(found[1]!), fence: Number(found[2]) } : []));
}

/** Candidates that landed or were given up are no longer needed. A remote that keeps them does no harm. */
export async function dropCandidates(
  home: Repository,
  { remote }: Pick<RemoteTarget, "remote">,
  candidates: readonly Omit<RemoteCandidate, "commit">[],
): Promise<void> {
  if (candidates.length === 0) return;
  const refs = candidates.map(({ task, fence }) => `:${candidateRef(task, fence)}`);
  await askRemote(home, remote, [...PUSH, remote, ...refs]);
}

const PUSH = ["push", "--porcelain", "--no-verify", "--no-signed", "--no-follow-tags", "--recurse-submodules=no"];

export interface Publication {
  /** What the remote has now, as it was fetched after the lander was taken. */
  readonly from: RemoteLanding;
  /** The proven commit; undefined: only the lander is made known. */
  readonly to: string | undefined;
  /** Which lander, for people who look at the ref. */
  readonly epoch: number;
}

/**
 * Moves branch and lander ref together, if both are where they were seen: a lander that slept meanwhile is refused.
 * `moved`: somebody else changed one of them.
 */
export async function publishLanding(
  home: Repository,
  target: RemoteTarget,
  { from, to, epoch }: Publication,
): Promise<{ readonly lander: string } | "moved" | RemoteTrouble> {
  const lander = await writeLander(home, { epoch, commit: to ?? from.head });
  const moves: [ref: string, from: string | undefined, to: string][] = [[landerRef(target), from.lander, lander]];
  if (to !== undefined && to !== from.head) moves.push([branchRef(target), from.head, to]);
  const pushed = await askRemote(home, target.remote, [
    ...PUSH,
    "--atomic",
    ...moves.map(([ref, was]) => `--force-with-lease=${ref}:${was ?? ""}`),
    target.remote,
    ...moves.map(([ref, , now]) => `${now}:${ref}`),
  ]);
  if (!("trouble" in pushed)) {
    if (to !== undefined) await mustBytes(home, [...QUIET, "update-ref", seenRef(target), to]);
    return { lander };
  }
  return pushed.trouble === "moved" ? "moved" : pushed;
}

/** Its text is for people. That it is another object each time is what counts. */
async function writeLander(
  home: Repository,
  { epoch, commit }: { readonly epoch: number; readonly commit: string | undefined },
): Promise<string> {
  const text = `epoch ${epoch}\ncommit ${commit ?? "none"}\n`;
  return (await mustBytes(home, ["hash-object", "-w", "--stdin"], { stdin: text })).stdout.toString().trim();
}
