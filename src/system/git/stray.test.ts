import { join } from "node:path";
import { expect, test } from "vitest";
import { newRepository } from "../../../test/git-place.ts";
import { git, temporaryFolder, write } from "../../../test/temporary-folder.ts";
import { moveLanding, openTarget } from "./landing.ts";
import { LANE_ACTION } from "./reflog.ts";
import { isMovedBySession, markStray, sessionMoves, watchPerson } from "./stray.ts";
import { unprovenOn } from "./unproven.ts";

/** A repository in which something has landed, and a clone of it in which a session works. */
async function places() {
  const home = await newRepository({ "a.txt": "a\n" });
  const target = await openTarget(home);
  const landing = git(home.folder, "rev-parse", "HEAD");
  await moveLanding(home, target, { from: undefined, to: landing, subject: "begin" });
  const lane = join(temporaryFolder(), "lane");
  git(home.folder, "clone", "--quiet", home.folder, lane);
  git(home.folder, "switch", "--quiet", "--create", "other");
  git(home.folder, "switch", "--quiet", "main");
  return { home, target, landing, lane, folder: home.folder };
}

const commit = (folder: string, path: string, env: Readonly<Record<string, string>> = {}): void => {
  write(folder, { [path]: "x\n" });
  git(folder, "add", path);
  const words = ["commit", "--quiet", "--message", path];
  if (Object.keys(env).length === 0) git(folder, ...words);
  else
    git(
      folder,
      "-c",
      `alias.marked=!${Object.entries(env)
        .map(([name, value]) => `${name}=${value}`)
        .join(" ")} git ${words.join(" ")}`,
      "marked",
    );
};

test("T-41 commits of a session on the person's branch are known by the reflog, also later; the person's are not among them", async () => {
  const { home, target, landing, lane, folder } = await places();
  const watch = watchPerson(home, target);
  commit(folder, "mine");
  git(folder, "switch", "--quiet", "other");
  git(folder, "switch", "--quiet", "main");
  expect(sessionMoves(home, target, { watch, lane })).toEqual([]);
  expect(await markStray(home, target, { name: "r-1" })).toEqual([]);

  commit(folder, "stray", LANE_ACTION);
  const stray = git(folder, "rev-parse", "HEAD");
  expect([sessionMoves(home, target, { watch, lane }).map(({ now }) => now), isMovedBySession(home, target)]).toEqual([
    [stray],
    true,
  ]);
  commit(folder, "on top");
  expect(isMovedBySession(home, target)).toBe(false);
  expect(await markStray(home, target, { name: "r-2" })).toEqual([stray]);
  const branch = git(folder, "rev-parse", "HEAD");
  expect(await unprovenOn(home, { branch, landing })).toEqual({ base: landing, commits: [stray] });
});

test("T-41 without the mark: what a clone got during the session, and moves that no command explains", async () => {
  const { home, target, lane, folder } = await places();
  git(lane, "config", "user.name", "Test");
  git(lane, "config", "user.email", "test@example.invalid");
  const watch = watchPerson(home, target);
  commit(lane, "brought");
  git(folder, "fetch", "--quiet", lane, "main");
  git(folder, "merge", "--quiet", "--ff-only", "FETCH_HEAD");
  const brought = git(folder, "rev-parse", "HEAD");
  expect(sessionMoves(home, target, { watch, lane }).map(({ now }) => now)).toEqual([brought]);
  const made = git(folder, "commit-tree", "-p", "main", "-m", "Made", "main^{tree}");
  git(folder, "update-ref", "refs/heads/main", made);
  const moves = sessionMoves(home, target, { watch, lane });
  expect(moves.map(({ now }) => now)).toEqual([brought, made]);
  expect(await markStray(home, target, { name: "r-1", moves })).toEqual([brought, made]);
});
