import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { filesBelow } from "../folder.ts";
import { lstatOf } from "../lstat.ts";
import { cloneHead, importCommits } from "./clone.ts";
import { hasCommit } from "./object.ts";
import type { Repository } from "./repository.ts";

/** A commit that only a branch or a stash of a clone names. */
export interface CloneTip {
  readonly ref: string;
  readonly commit: string;
}

/** An agent may make any number of branches. */
const MOST = 50;

/**
 * Brings commits into `home` that a session, or a person, left on other branches of a clone or in its stash. The next session
 * begins without them. Refs are read from their files: no git of ours reads what programs wrote into the clone.
 */
export async function bringTips(view: Repository): Promise<CloneTip[]> {
  const { folder } = view;
  const head = cloneHead(folder);
  const brought = new Map<string, CloneTip>();
  for (const tip of await tipsIn(join(folder, ".git"))) {
    const { commit } = tip;
    if (brought.size === MOST || commit === head || brought.has(commit) || (await hasCommit(view, commit))) continue;
    // One that the clone lacks is nobody's work.
    if (await importCommits(view, folder, commit)) brought.set(commit, tip);
  }
  return [...brought.values()];
}

async function tipsIn(own: string): Promise<CloneTip[]> {
  const heads = (await filesBelow(join(own, "refs/heads"))).map((path) => relative(own, path));
  const loose = [...heads, "refs/stash"].map((ref) => ({ ref, commit: textOf(join(own, ref)).trim() }));
  const packed = Array.from(textOf(join(own, "packed-refs")).matchAll(/^(\w+) (refs\/(?:heads\/.+|stash))$/gm));
  // Of several stashes the ref names the last.
  const stashed = Array.from(textOf(join(own, "logs/refs/stash")).matchAll(/^\w+ (\w+) /gm)).reverse();
  const all = [
    ...loose,
    ...packed.map(([, commit = "", ref = ""]) => ({ ref, commit })),
    ...stashed.map(([, commit = ""]) => ({ ref: "refs/stash", commit })),
  ];
  return all.filter(({ commit }) => /^[0-9a-f]{40,64}$/.test(commit));
}

const MAX_BYTES = 16 * 1024 * 1024;

function textOf(path: string): string {
  const found = lstatOf(path);
  return found?.isFile() === true && found.size < MAX_BYTES ? readFileSync(path, "latin1") : "";
}
