import { posix } from "node:path";
import type { FileChange } from "../domain/change.ts";
import { matchesAny } from "../domain/glob.ts";
import type { treeLook } from "../gate/gate.ts";
import { filesNaming } from "../system/git/grep.ts";
import type { Attempted } from "./attempt.ts";
import type { Candidate } from "./candidate.ts";
import type { RunDeps } from "./run-deps.ts";
import type { LaneState } from "./run-state.ts";
import { type Names, replacedWords, type TestTexts } from "./same-test.ts";

type Look = ReturnType<typeof treeLook>;

interface About {
  readonly lane: Pick<LaneState, "deps">;
  readonly attempt: Pick<Attempted, "claim">;
  readonly built: Pick<Candidate, "head" | "tree">;
  readonly base: Look;
  readonly candidate: Look;
}

/** Their names are no names of the product. */
const LITERAL = /^(?:true|false|null|nil|none|undefined|nan|not|and|only|skip\w*|todo|pass|fail|error)$/i;
const DOCUMENT = /\.(?:mdx?|rst|adoc|txt)$/i;
const MOST_FILES = 100;

/**
 * T-11: names that tests follow because the task asks for it in words: no code has the old name any more, none had the new
 * one before, and both name something outside of tests. None if one of these is not so.
 */
export async function renamedNames(
  about: About,
  texts: readonly TestTexts[],
  changes: ReadonlyMap<string, FileChange>,
): Promise<Names> {
  const { title, description, acceptance } = about.attempt.claim.task;
  const asked = new Set([title, description, ...acceptance].join("\n").match(/[A-Za-z_$][\w$]{2,}/g));
  const names = new Map<string, string>();
  for (const [old, now] of texts.flatMap(replacedWords)) {
    if (!asked.has(old) || !asked.has(now) || LITERAL.test(old) || LITERAL.test(now)) continue;
    if ((names.get(old) ?? now) !== now) return new Map();
    names.set(old, now);
  }
  if (new Set(names.values()).size < names.size) return new Map();
  for (const name of names) if (!(await isRenamed(about, name, changes))) return new Map();
  return names;
}

async function isRenamed(
  { lane: { deps }, built, base, candidate }: About,
  [old, now]: readonly [string, string],
  changes: ReadonlyMap<string, FileChange>,
): Promise<boolean> {
  const work = [...changes.keys()].filter(
    (path) => !DOCUMENT.test(path) && !matchesAny([...deps.rules.testFiles, ...deps.rules.notWork], path),
  );
  const kinds = new Set([...changes.keys()].map((path) => posix.extname(path)));
  return (
    (await someNames(base, work, old)) &&
    (await someNames(candidate, work, now)) &&
    (await isUnknown(deps, { commit: built.tree, look: candidate, name: old, kinds })) &&
    (await isUnknown(deps, { commit: built.head, look: base, name: now, kinds }))
  );
}

const asWord = (name: string): RegExp => new RegExp(String.raw`(?<![\w$])${name.replaceAll("$", "\\$")}(?![\w$])`);

/** A module may keep its name. */
const MODULE = /(["'`])\.{1,2}\/[\w./@-]+\1/g;

const isIn = (text: string, name: string): boolean => asWord(name).test(text.replaceAll(MODULE, ""));

async function someNames(look: Look, paths: readonly string[], name: string): Promise<boolean> {
  for (const path of paths) if (isIn((await look.text(path)) ?? "", name)) return true;
  return false;
}

interface Asked {
  readonly commit: string;
  readonly look: Look;
  readonly name: string;
  /** The endings of files that changed: in files of other kinds, the name may be a plain word. */
  readonly kinds: ReadonlySet<string>;
}

/** Whether no code has a name. A file that cannot be read may have it. */
async function isUnknown({ home, rules }: RunDeps, { commit, look, name, kinds }: Asked): Promise<boolean> {
  const found = await filesNaming(home, commit, [name]);
  const isCode = (path: string): boolean => kinds.has(posix.extname(path)) && !DOCUMENT.test(path);
  const code = found.filter((path) => isCode(path) && !matchesAny(rules.notWork, path));
  if (code.length > MOST_FILES) return false;
  for (const path of code) if (isIn((await look.text(path)) ?? name, name)) return false;
  return true;
}
