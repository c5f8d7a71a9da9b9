import { relative } from "node:path";
import { findUp } from "../system/find-up.ts";
import { realPathOf } from "../system/folder.ts";
import { workingTree } from "../system/git/git.ts";
import type { InitOptions } from "./init.ts";

/** What `init` is about. */
export interface InitRoot {
  readonly root: string;
  /** The top of the working tree. */
  readonly top: string;
  /** The person's folder below `top`, if it could be a workspace of its own as well; undefined: there is no choice. */
  readonly part: string | undefined;
}

/** The workspace around the person's folder, or else the whole repository; with `isHere`, this folder. */
export async function initRoot({ cwd, env, isHere = false }: InitOptions): Promise<InitRoot> {
  const top = await workingTree({ folder: cwd, env });
  const here = realPathOf(cwd);
  if (isHere) return { root: here, top, part: undefined };
  const known = await findUp(here, ".ralph", top);
  if (known !== undefined) return { root: known, top, part: undefined };
  return { root: top, top, part: relative(top, here) || undefined };
}
