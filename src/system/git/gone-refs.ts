import { gitBytes } from "./git.ts";
import type { Repository } from "./repository.ts";
import { saveRef } from "./saved-ref.ts";
import { type NamedTip, tipsIn } from "./tips.ts";

export interface GoneRef extends NamedTip {
  /** The ref that has its commit now. */
  readonly saved: string;
}

/** An agent may remove any number of branches. */
const MOST = 50;

/** Branches, tags and, if asked, stashes of the person's repository, by what tells them apart. */
export async function watchTips(home: Repository, { stashes }: { readonly stashes: boolean }): Promise<Tips> {
  const all = await tipsIn(home.commonFolder, stashes ? ["heads", "tags", "stash"] : ["heads", "tags"]);
  return new Map(all.map((tip) => [tip.ref === "refs/stash" ? tip.commit : tip.ref, tip]));
}

export type Tips = ReadonlyMap<string, NamedTip>;

/** T-40: gives another name to what no other ref has any more. Each is told once. */
export async function saveGone(home: Repository, before: Tips, now: Tips): Promise<GoneRef[]> {
  const gone = [...before].flatMap(([key, tip]) => (now.has(key) ? [] : [tip])).slice(0, MOST);
  const saved: GoneRef[] = [];
  for (const tip of gone) {
    const holder = await gitBytes(home, ["for-each-ref", "--count=1", `--contains=${tip.commit}`]);
    // One that is gone altogether cannot be saved.
    if (holder.code !== 0 || holder.stdout.length > 0) continue;
    const ref = `refs/ralph/lost/${tip.commit.slice(0, 16)}`;
    await saveRef(home, ref, tip.commit);
    saved.push({ ...tip, saved: ref });
  }
  return saved;
}
