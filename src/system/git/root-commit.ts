import { RalphError } from "../../domain/error.ts";
import { git, type GitPlace } from "./git.ts";

/** The oldest commit that the history began with: the same in every clone of a repository, whatever its address. */
export async function rootCommit(place: GitPlace): Promise<string> {
  const { stdout: shallow } = await git(place, ["rev-parse", "--is-shallow-repository"]);
  if (shallow.trim() === "true") {
    throw new RalphError("config", "This clone is shallow, so it does not know the repository's first commit", {
      hint: "Get the rest: git fetch --unshallow",
    });
  }
  const { code, stdout } = await git(place, ["rev-list", "--max-parents=0", "HEAD"]);
  const root = stdout.trim().split("\n").at(-1);
  if (code === 0 && root) return root;
  throw new RalphError("config", "There is no commit here that could tell which repository this is", {
    hint: "Run it in a clone of the repository",
  });
}
