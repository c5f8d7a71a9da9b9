import { mustBytes } from "./git.ts";
import { readRefs, refPart } from "./ref.ts";
import { QUIET, type Repository } from "./repository.ts";

export interface SavedWork {
  readonly ref: string;
  readonly commit: string;
}

/** The ref under which a run keeps work that did not land. */
export const savedRef = (run: string, name: string): string => `refs/ralph/${refPart(run)}/${refPart(name)}`;

/** Names a commit that nothing else needs, so that `git gc` keeps it. */
export async function saveRef(home: Repository, ref: string, commit: string): Promise<void> {
  await mustBytes(home, [...QUIET, "update-ref", "--create-reflog", "-m", "ralphctl: keep", ref, commit]);
}

/** A ref of ours that keeps what nothing else has. */
export interface KeptRef {
  readonly ref: string;
  readonly subject: string;
  /** Of the commit. */
  readonly madeAtMs: number;
}

/** Work that runs set aside, and files and commits that were saved before they would have been lost; the oldest first. */
export async function listKept(home: Repository): Promise<KeptRef[]> {
  const format = ["--sort=committerdate", "--format=%(committerdate:unix) %(refname) %(subject)"];
  const { stdout } = await mustBytes(home, ["for-each-ref", ...format, "refs/ralph/"]);
  const all = stdout.toString().split("\n").slice(0, -1);
  return all
    .map((line) => {
      const [seconds = "", ref = "", ...subject] = line.split(" ");
      return { ref, subject: subject.join(" "), madeAtMs: Number(seconds) * 1000 };
    })
    .filter(({ ref }) => /^refs\/ralph\/(?:lost|r-[^/]+)\//.test(ref));
}

export const removeRef = async (home: Repository, ref: string): Promise<void> => await removeRefs(home, [ref]);

/** Removes those that exist. */
export async function removeRefs(home: Repository, refs: readonly string[]): Promise<void> {
  const stdin = [...(await readRefs(home, refs)).keys()].map((ref) => `delete ${ref}\n`).join("");
  if (stdin !== "") await mustBytes(home, [...QUIET, "update-ref", "--stdin"], { stdin });
}

/** A new ref for everything that was in the person's own tree. */
export async function nextPlaceRef(home: Repository, run: string): Promise<string> {
  const args = ["for-each-ref", "--format=%(refname)", `refs/ralph/${refPart(run)}/`];
  const names = (await mustBytes(home, args)).stdout.toString().split("\n");
  const numbers = names.map((name) => Number(/\/place-(\d+)$/.exec(name)?.[1] ?? 0));
  return savedRef(run, `place-${Math.max(0, ...numbers) + 1}`);
}
