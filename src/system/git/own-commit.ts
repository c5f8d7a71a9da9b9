import { isLoose, readLoose, storeObject } from "./object.ts";
import { mayWriteObjects, type Repository } from "./repository.ts";

/** Who makes commits, as git wrote it into one. */
interface Committer {
  readonly author: string;
  readonly committer: string;
  readonly zone: string;
  /** Our own distance from the time zone that this was: it changes twice a year. */
  readonly offset: number;
}

const COMMITTERS = new WeakMap<Repository, Committer>();

const BY = /\nauthor (.*) \d+ [+-]\d{4}\ncommitter (.*) \d+ ([+-]\d{4})$/;

/** Reads in a commit that git has just made who it says has made it. */
export function rememberCommitter(repository: Repository, commit: string): void {
  const { GIT_AUTHOR_DATE, GIT_COMMITTER_DATE } = repository.env;
  const isDated = GIT_AUTHOR_DATE !== undefined || GIT_COMMITTER_DATE !== undefined;
  const found = isDated ? null : BY.exec(readLoose(repository, commit)?.toString().split("\n\n", 1)[0] ?? "");
  if (found === null) return;
  const [, author = "", committer = "", zone = ""] = found;
  COMMITTERS.set(repository, { author, committer, zone, offset: new Date().getTimezoneOffset() });
}

interface OwnCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
}

/**
 * Writes a commit as git would, whose start takes most of the time of a commit. Undefined if git shall: it has made none
 * yet that says who commits, a setting has changed since, or an object that it names may be missing.
 */
export function writeOwnCommit(repository: Repository, { tree, parents, message }: OwnCommit): string | undefined {
  const by = COMMITTERS.get(repository);
  const isPlain = message.endsWith("\n") && !message.includes("\0") && new Set(parents).size === parents.length;
  const now = new Date();
  if (by === undefined || !isPlain || by.offset !== now.getTimezoneOffset()) return undefined;
  if (!mayWriteObjects(repository) || ![tree, ...parents].every((name) => isLoose(repository, name))) return undefined;
  const at = `${Math.floor(now.getTime() / 1000)} ${by.zone}`;
  const head = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`)];
  const lines = [...head, `author ${by.author} ${at}`, `committer ${by.committer} ${at}`, "", message];
  return storeObject(repository, "commit", Buffer.from(lines.join("\n")));
}
