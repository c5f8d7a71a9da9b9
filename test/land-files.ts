import { join } from "node:path";
import { writeCommit } from "../src/system/git/commit.ts";
import { gitBytes, mustBytes } from "../src/system/git/git.ts";
import { moveLanding, readLanding, type LandingTarget } from "../src/system/git/landing.ts";
import { withIndex, type Repository } from "../src/system/git/repository.ts";
import { git, temporaryFolder } from "./temporary-folder.ts";

/** New contents by path; undefined: the file goes. */
export type Files = Readonly<Record<string, string | undefined>>;

/** A commit with these changes on top of another, made without a working tree. */
export async function commitFiles(home: Repository, parent: string, files: Files, subject = "Land"): Promise<string> {
  const index = join(temporaryFolder(), "index");
  await mustBytes(home, ["read-tree", parent], withIndex(index));
  for (const [path, content] of Object.entries(files)) {
    if (content === undefined) {
      await mustBytes(home, ["update-index", "--force-remove", "--", path], withIndex(index));
      continue;
    }
    const blob = await mustBytes(home, ["hash-object", "-w", "--stdin"], { stdin: content });
    const entry = `100644,${blob.stdout.toString().trim()},${path}`;
    await mustBytes(home, ["update-index", "--add", "--replace", "--cacheinfo", entry], withIndex(index));
  }
  const tree = (await mustBytes(home, ["write-tree"], withIndex(index))).stdout.toString().trim();
  return await writeCommit(home, { tree, parents: [parent], message: `${subject}\n` });
}

/** One commit with these changes lands. */
export async function landFiles(home: Repository, target: LandingTarget, files: Files): Promise<string> {
  const from = await readLanding(home, target);
  const to = await commitFiles(home, from ?? git(home.folder, "rev-parse", target.branch ?? "HEAD"), files);
  if (!(await moveLanding(home, target, { from, to, subject: "Land" }))) throw new Error("the landing ref moved");
  return to;
}

/** The content of a file in a commit or tree; undefined if it has none. */
export async function contentIn(home: Repository, commit: string, path: string): Promise<string | undefined> {
  const answer = await gitBytes(home, ["cat-file", "blob", `${commit}:${path}`]);
  return answer.code === 0 ? answer.stdout.toString() : undefined;
}
