import { chmodSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { addHook, bareRemote, cloneOf, serveByDaemon } from "../../../test/git-remote.ts";
import { commitFiles } from "../../../test/land-files.ts";
import { commitAll, git, write } from "../../../test/temporary-folder.ts";
import {
  candidateRef,
  dropCandidates,
  fetchCandidate,
  fetchLanding,
  publishLanding,
  pushCandidate,
  type RemoteLanding,
} from "./remote.ts";
import type { Repository } from "./repository.ts";

const TARGET = { remote: "origin", branch: "main" } as const;

async function seen(home: Repository): Promise<RemoteLanding> {
  const landing = await fetchLanding(home, TARGET);
  if ("trouble" in landing) throw new Error(landing.why);
  return landing;
}

const refs = (bare: string): string[] =>
  git(bare, "for-each-ref", "--format=%(refname)")
    .split("\n")
    .filter((ref) => ref !== "");

describe.each(["a path", "git's own protocol"])("F-03 a remote by %s", (by) => {
  const at = async (bare: string): Promise<string> => (by === "a path" ? bare : (await serveByDaemon(bare)).url);

  test("F-03 what one machine publishes another fetches, and the branch of neither clone moves", async () => {
    const bare = bareRemote();
    const address = await at(bare);
    const [one, two] = [await cloneOf(address), await cloneOf(address)];
    const from = await seen(one);
    expect(from).toEqual({ head: git(bare, "rev-parse", "main"), lander: undefined });
    const to = await commitFiles(one, from.head!, { "a.txt": "2\n" });
    const published = await publishLanding(one, TARGET, { from, to, epoch: 7 });
    if (published === "moved" || "trouble" in published) throw new Error(JSON.stringify(published));
    expect(git(bare, "cat-file", "blob", "refs/ralph/lander/main")).toBe(`epoch 7\ncommit ${to}`);
    expect(await seen(two)).toEqual({ head: to, lander: published.lander });
    expect(git(two.folder, "cat-file", "-t", to)).toBe("commit");
    expect(git(two.folder, "rev-parse", "main")).toBe(from.head);
  });

  test("F-03 lanes of one machine ask at the same moment, and each gets what another machine landed", async () => {
    const address = await at(bareRemote());
    const [one, two] = [await cloneOf(address), await cloneOf(address)];
    for (let landed = 1; landed <= 3; landed++) {
      const from = await seen(one);
      const to = await commitFiles(one, from.head!, { "a.txt": `${landed}\n` });
      const published = await publishLanding(one, TARGET, { from, to, epoch: landed });
      if (published === "moved" || "trouble" in published) throw new Error(JSON.stringify(published));
      const all = await Promise.all(Array.from({ length: 6 }, async () => await seen(two)));
      expect(all).toEqual(Array.from({ length: 6 }, () => ({ head: to, lander: published.lander })));
    }
  });

  test("F-03 a candidate is on the remote until it is dropped, and any machine can have it", async () => {
    const bare = bareRemote();
    const address = await at(bare);
    const [one, two] = [await cloneOf(address), await cloneOf(address)];
    const commit = await commitFiles(one, git(one.folder, "rev-parse", "HEAD"), { "b.txt": "1\n" });
    expect(await pushCandidate(one, TARGET, { task: "t-1", fence: 3, commit })).toBe(undefined);
    expect(await fetchCandidate(two, TARGET, { task: "t-1", fence: 3 })).toBe(commit);
    expect(await fetchCandidate(two, TARGET, { task: "t-1", fence: 4 })).toBe(undefined);
    await dropCandidates(one, TARGET, [
      { task: "t-1", fence: 3 },
      { task: "t-1", fence: 9 },
    ]);
    expect(refs(bare)).not.toContain(candidateRef("t-1", 3));
  });
});

describe("F-03 two landers", () => {
  test("F-03 a zombie lander is refused by the lander ref, even if the branch is where it was", async () => {
    const bare = bareRemote();
    const [zombie, next] = [await cloneOf(bare), await cloneOf(bare)];
    const old = await seen(zombie);
    const late = await commitFiles(zombie, old.head!, { "a.txt": "of the zombie\n" });
    // The next lander only says that it is there; nothing has landed yet.
    expect(await publishLanding(next, TARGET, { from: await seen(next), to: undefined, epoch: 2 })).toMatchObject({});
    expect(await publishLanding(zombie, TARGET, { from: old, to: late, epoch: 1 })).toBe("moved");
    expect(git(bare, "rev-parse", "main")).toBe(old.head);
    expect(git(bare, "cat-file", "blob", "refs/ralph/lander/main")).toContain("epoch 2");
  });

  test("F-03 the first landing of all is a race as well: one lands, and the other moves nothing", async () => {
    const bare = bareRemote();
    const homes = [await cloneOf(bare), await cloneOf(bare), await cloneOf(bare)];
    const from = await seen(homes[0]!);
    const answers = await Promise.all(
      homes.map(async (home, epoch) => {
        await seen(home);
        const to = await commitFiles(home, from.head!, { "a.txt": `${epoch}\n` });
        return { to, answer: await publishLanding(home, TARGET, { from, to, epoch }) };
      }),
    );
    const landed = answers.filter(({ answer }) => answer !== "moved");
    expect(landed).toEqual([landed[0]]);
    expect(landed[0]!.answer).toEqual({ lander: git(bare, "rev-parse", "refs/ralph/lander/main") });
    expect(git(bare, "rev-parse", "main")).toBe(landed[0]!.to);
  });

  test("F-03 a person's push meanwhile is never overwritten, and a branch that was taken away is not made again", async () => {
    const bare = bareRemote();
    const [home, person] = [await cloneOf(bare), await cloneOf(bare)];
    const from = await seen(home);
    const to = await commitFiles(home, from.head!, { "a.txt": "2\n" });
    write(person.folder, { "p.txt": "of the person\n" });
    commitAll(person.folder, "Push");
    git(person.folder, "push", "--quiet", "origin", "main");
    expect(await publishLanding(home, TARGET, { from, to, epoch: 1 })).toBe("moved");
    expect(git(bare, "rev-parse", "main")).toBe(git(person.folder, "rev-parse", "main"));
    git(bare, "update-ref", "-d", "refs/heads/main");
    expect(await publishLanding(home, TARGET, { from, to, epoch: 1 })).toBe("moved");
    expect(await fetchLanding(home, TARGET)).toEqual({ head: undefined, lander: undefined });
    expect(refs(bare)).toEqual([]);
  });
});

describe("F-07 a remote that does not do it", () => {
  const publishTo = async (home: Repository, from: RemoteLanding) =>
    await publishLanding(home, TARGET, { from, to: await commitFiles(home, from.head!, { x: "1\n" }), epoch: 1 });

  test("F-07 a hook that says no is quoted, and nothing has moved", async () => {
    const bare = bareRemote();
    const home = await cloneOf(bare);
    const from = await seen(home);
    addHook(bare, "pre-receive", 'echo "Nobody pushes on Fridays" >&2; exit 1');
    expect(await publishTo(home, from)).toEqual({
      trouble: "refused",
      why: "The remote origin refused the push: Nobody pushes on Fridays",
      remedy: expect.stringContaining("rules and hooks"),
    });
    addHook(
      bare,
      "pre-receive",
      'echo "error: GH006: Protected branch update failed for refs/heads/main." >&2; exit 1',
    );
    expect(await publishTo(home, from)).toMatchObject({
      trouble: "refused",
      why: expect.stringContaining("protects the branch"),
      remedy: expect.stringContaining("git.branch"),
    });
    expect(await seen(home)).toEqual(from);
  });

  test("F-07 a hook that refuses one ref keeps the other where it is, too", async () => {
    const bare = bareRemote();
    const home = await cloneOf(bare);
    const from = await seen(home);
    addHook(bare, "update", 'test "$1" != refs/heads/main');
    expect(await publishTo(home, from)).toMatchObject({ trouble: "refused" });
    expect(refs(bare)).toEqual(["refs/heads/main"]);
  });

  test("F-07 a remote with files refuses to move what is checked out", async () => {
    const bare = bareRemote();
    const other = await cloneOf(bare);
    const home = await cloneOf(other.folder);
    expect(await publishTo(home, await seen(home))).toMatchObject({
      trouble: "refused",
      why: expect.stringContaining("checked out"),
      remedy: expect.stringContaining("--bare"),
    });
  });

  test("F-07 a server that is away is told from a repository that is not there, and from a remote without a name", async () => {
    const bare = bareRemote();
    const daemon = await serveByDaemon(bare);
    const home = await cloneOf(daemon.url);
    await daemon.stop();
    expect(await fetchLanding(home, TARGET)).toMatchObject({
      trouble: "unreachable",
      remedy: expect.stringContaining("tries again"),
    });
    git(home.folder, "remote", "set-url", "origin", bare);
    renameSync(bare, `${bare}-gone`);
    expect(await fetchLanding(home, TARGET)).toMatchObject({ trouble: "no remote" });
    renameSync(`${bare}-gone`, bare);
    expect(await seen(home)).toMatchObject({ lander: undefined });
    expect(await fetchLanding(home, { remote: "elsewhere", branch: "main" })).toMatchObject({ trouble: "no remote" });
  });

  test("F-07 a login that may only read", async () => {
    const bare = bareRemote();
    const { url } = await serveByDaemon(bare);
    const home = await cloneOf(url);
    const from = await seen(home);
    git(bare, "config", "daemon.receivepack", "false");
    expect(await publishTo(home, from)).toMatchObject({ trouble: "no rights", remedy: expect.stringContaining("key") });
  });

  test("F-08 a password in the remote's address is in no sentence", async () => {
    const home = await cloneOf(bareRemote());
    git(home.folder, "remote", "set-url", "origin", "http://me:s3cret-word@127.0.0.1:9/x.git");
    const answer = await fetchLanding(home, TARGET);
    expect(answer).toMatchObject({ trouble: "unreachable", why: expect.stringContaining("127.0.0.1:9") });
    expect(JSON.stringify(answer)).not.toContain("s3cret");
  });
});

test.skipIf(process.getuid?.() === 0)("F-07 a folder that may not be written", async () => {
  const bare = bareRemote();
  const home = await cloneOf(bare);
  const from = await seen(home);
  chmodSync(join(bare, "objects"), 0o500);
  const to = await commitFiles(home, from.head!, { x: "1\n" });
  expect(await publishLanding(home, TARGET, { from, to, epoch: 1 })).toMatchObject({ trouble: "no rights" });
  chmodSync(join(bare, "objects"), 0o700);
});
