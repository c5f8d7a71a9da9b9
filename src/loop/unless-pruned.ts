import { RalphError } from "../domain/error.ts";
import type { Repository } from "../system/git/repository.ts";
import { dropProving, keepProving } from "../system/git/work-ref.ts";

const TRIES = 5;

/**
 * Builds something of objects that no ref names until it is done. If a person's `git gc --prune=now` removes some of
 * them meanwhile, builds it again: the files are still there. `undefined` means that something was removed.
 */
export async function unlessPruned<Result>(
  build: (about: { readonly isAgain: boolean }) => Promise<Result | undefined>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    const built = await build({ isAgain: tries > 1 }).catch((error: unknown) => {
      if (tries === TRIES || !(error instanceof RalphError) || error.kind !== "io") throw error;
      return undefined;
    });
    if (built !== undefined) return built;
    if (tries === TRIES) throw new RalphError("io", "Git lost objects that ralphctl wrote", { hint: "Run git fsck" });
  }
}

/** Where a tree is that only a part of a run needs. After a crash the next one takes its place. Lanes may start at once. */
export type PassingUse = "extra" | `review-${number}` | `start-${number}`;

/** Works with a tree that no commit has, or with a commit that is on no branch. A ref names it meanwhile. */
export async function withTree<Result>(
  home: Repository,
  { head, use, build }: { readonly head: string; readonly use: PassingUse; readonly build: () => Promise<string> },
  work: (tree: string) => Promise<Result>,
): Promise<Result> {
  const tree = await unlessPruned(async () => {
    const built = await build();
    return (await keepProving(home, use, { tree: built, head })) ? built : undefined;
  });
  try {
    return await work(tree);
  } finally {
    await dropProving(home, use);
  }
}
