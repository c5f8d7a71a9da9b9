import { relative } from "node:path";
import { keptGates } from "../../domain/gate.ts";
import { shellWord } from "../../domain/shell-word.ts";
import { discoverGates } from "../../gate/gate.ts";
import { git } from "../../system/git/git.ts";
import type { Repository } from "../../system/git/repository.ts";
import { snapshot } from "../../system/git/snapshot.ts";
import { gatesAt } from "./gates-at.ts";

/**
 * L-03: a run proves a commit, so gates that only uncommitted files define do not check it. Returns the sentence that says
 * so, with the command to type; none if the last commit has the same gates.
 */
export async function uncommittedGates(home: Repository, root: string): Promise<readonly string[]> {
  const here = keptGates((await discoverGates(root)).gates);
  const head = await git(home, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  const there = head.code === 0 ? keptGates(await gatesAt(home, head.stdout.trim(), root)) : [];
  const added = here.filter((gate) => !there.some((one) => one.run === gate.run && one.script === gate.script));
  const removed = there.filter((gate) => !here.some((one) => one.run === gate.run));
  if (added.length + removed.length === 0) return [];
  const { changed } = await snapshot(home);
  // Ignored files, which no commit can have, may make the difference.
  if (changed.length === 0) return [];
  const names = [...added.map(({ run }) => run), ...removed.map(({ run }) => `not ${run}`)].join(", ");
  const folder = relative(home.folder, root);
  const isTold = (path: string): boolean =>
    [...added, ...removed].some(({ at }) => at?.startsWith(relative(folder, path)));
  const paths = changed.map(({ path }) => path);
  const telling = paths.some(isTold) ? paths.filter(isTold) : paths;
  const files = telling.slice(0, MOST).map((path) => shellWord(folder === "" ? path : `:/${path}`));
  return [
    `Your uncommitted files have other gates: ${names}. Runs use the gates of the last commit. To use yours: git add ${files.join(" ")} && git commit`,
  ];
}

const MOST = 5;
