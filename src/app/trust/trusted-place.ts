import { relative } from "node:path";
import { realPathOf } from "../../system/folder.ts";
import { gitFolder } from "../../system/git/folder.ts";

/** By which a yes is remembered: all working trees of a repository share it, another clone does not. */
export function trustedPlace(root: string): { readonly repository: string; readonly folder: string } {
  const git = gitFolder(root);
  if (git === undefined) return { repository: realPathOf(root), folder: "" };
  return { repository: realPathOf(git.common), folder: relative(realPathOf(git.top), realPathOf(root)) };
}
