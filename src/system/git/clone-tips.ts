import { join } from "node:path";
import { cloneHead, importCommits } from "./clone.ts";
import { hasCommit } from "./object.ts";
import type { Repository } from "./repository.ts";
import { type NamedTip, tipsIn } from "./tips.ts";

/** An agent may make any number of branches. */
const MOST = 50;

/**
 * Brings commits into `home` that a session, or a person, left on other branches of a clone or in its stash. The next session
 * begins without them. Refs are read from their files: no git of ours reads what programs wrote into the clone.
 */
export async function bringTips(view: Repository): Promise<NamedTip[]> {
  const { folder } = view;
  const head = cloneHead(folder);
  const brought = new Map<string, NamedTip>();
  for (const tip of await tipsIn(join(folder, ".git"))) {
    const { commit } = tip;
    if (brought.size === MOST || commit === head || brought.has(commit) || (await hasCommit(view, commit))) continue;
    // One that the clone lacks is nobody's work.
    if (await importCommits(view, folder, commit)) brought.set(commit, tip);
  }
  return [...brought.values()];
}
