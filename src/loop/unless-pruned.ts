import { RalphError } from "../domain/error.ts";

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
