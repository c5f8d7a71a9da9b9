import { RalphError } from "../../domain/error.ts";
import { git } from "./git.ts";
import type { Repository } from "./repository.ts";

/** Why a remote did not do what it was asked. */
export interface RemoteTrouble {
  readonly trouble:
    /** It cannot be reached, or does not answer. */
    | "unreachable"
    /** A rule of it says no: a protected branch, a hook. */
    | "refused"
    /** The login is refused, or may not write. */
    | "no rights"
    /** There is no such remote or repository. */
    | "no remote"
    /** There is no such ref. */
    | "no such ref"
    /** A ref is not where it was seen. */
    | "moved";
  /** A sentence without a full stop, for people. */
  readonly why: string;
  /** What to do about it; begins with a verb. */
  readonly remedy: string;
}

/** How long git may wait for a remote that says nothing. */
const LONGEST_MS = 120_000;
/** Slower than that is no answer; git itself would wait for ever. */
const SLOW = { GIT_HTTP_LOW_SPEED_LIMIT: "1", GIT_HTTP_LOW_SPEED_TIME: "60" };

/** Runs a git that speaks with the remote. Never with its hooks, and never asks a person anything. */
export async function askRemote(
  home: Repository,
  remote: string,
  args: readonly string[],
): Promise<{ readonly stdout: string } | RemoteTrouble> {
  const { shells: _, ...place } = home;
  try {
    const env = { ...home.env, ...SLOW };
    const answer = await git({ ...place, env }, ["-c", "gc.auto=0", ...args], { timeoutMs: LONGEST_MS });
    if (answer.code === 0) return { stdout: answer.stdout };
    return troubleIn(`${answer.stdout}\n${answer.stderr}`, remote);
  } catch (error) {
    if (!(error instanceof RalphError) || error.kind !== "io") throw error;
    return { trouble: "unreachable", why: `The remote ${remote} does not answer`, remedy: CONNECTION };
  }
}

const CONNECTION = "Check the connection; ralphctl tries again by itself";

interface Sign {
  readonly sign: RegExp;
  readonly trouble: RemoteTrouble["trouble"];
  readonly why: (remote: string) => string;
  readonly remedy: string;
}

/** In this order: the words of the first may come with those of a later one. */
const SIGNS: readonly Sign[] = [
  {
    // Of a lease, of a server that was asked twice at the same moment, and of a transaction that lost.
    sign: /\((?:stale info|fetch first|non-fast-forward|remote ref updated since checkout|failed to update ref|failed to lock|incorrect old value provided|cannot lock ref[^)]*|reference already exists)\)|cannot lock ref '[^']*': (?:is at \w+ but expected|reference already exists)/,
    trouble: "moved",
    why: (remote) => `Somebody else moved the branch on ${remote}`,
    remedy: "Nothing has to be done: ralphctl looks again",
  },
  {
    sign: /\[remote rejected\].*currently checked out|refusing to update checked out branch/,
    trouble: "refused",
    why: (remote) => `The remote ${remote} has the branch checked out, and so refuses to move it`,
    remedy: "Use a bare repository as the remote: git clone --bare",
  },
  {
    sign: /protected branch|GH006|GH013|not allowed to (?:force )?push/i,
    trouble: "refused",
    why: (remote) => `The remote ${remote} protects the branch: nobody may push to it`,
    remedy: "Let the login of the fleet push to it, or land on another branch (git.branch)",
  },
  {
    sign: /\[remote rejected\]|hook declined/,
    trouble: "refused",
    why: (remote) => `The remote ${remote} refused the push`,
    remedy: "Look at the rules and hooks of the remote, or land on another branch (git.branch)",
  },
  {
    sign: /couldn't find remote ref|remote ref does not exist/,
    trouble: "no such ref",
    why: (remote) => `The remote ${remote} has no such branch`,
    remedy: "Push the branch",
  },
  {
    sign: /Authentication failed|Permission denied|could not read (?:Username|Password)|returned error: 40[13]|Host key verification failed|access denied|insufficient permission|unable to create temporary object directory|service not enabled|Permission to .* denied|remote unpack failed|read-only/i,
    trouble: "no rights",
    why: (remote) => `The login for ${remote} is refused, or may not push`,
    remedy: "Give this machine a key or a token that may push: git push --dry-run shows whether it works",
  },
  {
    sign: /No such remote|does not appear to be a git repository|[Rr]epository .*not found|not a git repository|returned error: 404|repository not exported/,
    trouble: "no remote",
    why: (remote) => `There is no repository at the remote ${remote}`,
    remedy: "Check the address: git remote --verbose. Another remote is chosen by fleet.remote",
  },
];

function troubleIn(text: string, remote: string): RemoteTrouble {
  const found = SIGNS.find(({ sign }) => sign.test(text));
  const words = lastWords(text);
  if (found === undefined) {
    return {
      trouble: "unreachable",
      why: `The remote ${remote} cannot be reached${words === "" ? "" : `: ${words}`}`,
      remedy: CONNECTION,
    };
  }
  const { trouble, why, remedy } = found;
  const isOwn = trouble === "refused" && words !== "";
  return { trouble, why: `${why(remote)}${isOwn ? `: ${words}` : ""}`, remedy };
}

/** What the remote itself said, else git; never a password that is part of an address. */
function lastWords(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  const said = lines.filter((line) => /^remote: +\S/.test(line)).map((line) => line.replace(/^remote: +/, ""));
  const own = lines.filter((line) => /^(?:fatal|error|ssh): /.test(line)).map((line) => line.replace(/^\w+: /, ""));
  const [words = ""] = said.length > 0 ? said : own;
  return words.replaceAll(/:\/\/[^/@\s]+@/g, "://").slice(0, 200);
}
