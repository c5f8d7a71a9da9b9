import { namesInLine } from "../domain/verdict-report.ts";
import { buildOutputIn } from "../domain/build-output.ts";
import { RalphError } from "../domain/error.ts";
import { isSample, whySecretName } from "../domain/secret-name.ts";
import { lstatOf } from "../system/lstat.ts";
import { absolute } from "../system/git/hash.ts";
import {
  changedIgnored,
  type IgnoredFile,
  putBackIgnored,
  smallIgnored,
  storeIgnored,
} from "../system/git/ignored-files.ts";
import type { KeptIgnored } from "../system/git/loan.ts";
import type { SavedWork } from "../system/git/saved-ref.ts";
import type { Repository } from "../system/git/repository.ts";
import { snapshot } from "../system/git/snapshot.ts";
import { keepAll } from "./take-back.ts";

/** Something that is under a ref now, and why. */
export type Saved = SavedWork & { readonly why: string };

interface Place {
  readonly home: Repository;
  readonly run: string;
  readonly branch: string | undefined;
}

/** Ignored files that no program makes: those that gates need (`.worktreeinclude`), and those with secrets. */
const ownAmong = (paths: readonly string[], included: readonly string[]): string[] => [
  ...new Set([...included, ...paths.filter((path) => whySecretName(path) !== undefined && !isSample(path))]),
];

/**
 * T-40: keeps all small ignored files before a session, and those that are the person's own whatever their size.
 * Undefined if there are none. As long as their own are those of `earlier`, that ref has them.
 */
export async function keepOwn(
  place: Place,
  included: readonly string[],
  earlier: KeptIgnored | undefined,
): Promise<KeptIgnored | undefined> {
  const { home } = place;
  const all = await smallIgnored(home);
  const more = ownAmong(all, included);
  if (earlier !== undefined && (await hasStill(home, earlier.files, more))) return earlier;
  const files = await storeIgnored(home, more);
  const others = all.filter((path) => !more.includes(path) && buildOutputIn(path) === undefined);
  if (files.length + others.length === 0) return undefined;
  const { ref, commit } = await keepAll(home, { ...place, now: await snapshot(home), more });
  return { ref, commit, files, others: await storeIgnored(home, others) };
}

const hasStill = async (home: Repository, files: readonly IgnoredFile[], paths: readonly string[]): Promise<boolean> =>
  files.length === paths.length &&
  files.every(({ path }) => paths.includes(path)) &&
  (await changedIgnored(home, files)).length === 0;

export interface EndOfSession {
  /** A file that changed later is not the session's. */
  readonly byMs?: number | undefined;
}

/**
 * T-40: after a session, the person's own ignored files are as they were before it. What the session made of them is kept
 * first. Other ignored files stay as they are. Returns what is to be told.
 */
export async function putBackOwn(place: Place, own: KeptIgnored, { byMs }: EndOfSession = {}): Promise<Saved[]> {
  const { home } = place;
  const isLater = (path: string): boolean => byMs !== undefined && (lstatOf(absolute(home, path))?.ctimeMs ?? 0) > byMs;
  const touched = (await changedIgnored(home, own.files)).filter(({ path }) => !isLater(path));
  const told: Saved[] = [];
  if (touched.length > 0) {
    const paths = touched.map(({ path }) => path);
    const { ref, commit } = await keepAll(home, { ...place, now: await snapshot(home), more: paths });
    const failed: string[] = [];
    for (const file of touched) if (!(await putBackIgnored(home, file))) failed.push(file.path);
    if (failed.length > 0) throw notPutBack(own, failed);
    told.push({ ref, commit, why: `the session changed or removed ${namesInLine(paths)}, now back as before it` });
  }
  return [...told, ...(await nameOwn(home, own))];
}

/** Names the ref if it has ignored files that are others now, or gone. */
export async function nameOwn(home: Repository, { ref, commit, files, others }: KeptIgnored): Promise<Saved[]> {
  const paths = (await changedIgnored(home, [...files, ...others])).map(({ path }) => path);
  return paths.length === 0 ? [] : [{ ref, commit, why: `it has ${namesInLine(paths)} as before the session` }];
}

const notPutBack = ({ ref }: KeptIgnored, paths: readonly string[]): RalphError =>
  new RalphError("io", `ralphctl could not put ${namesInLine(paths)} back; ${ref} has it as before the session`, {
    hint: "Move away what is in its place, then run this command again",
  });
