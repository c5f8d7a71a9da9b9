import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { lockTree } from "../../src/system/tree-lock.ts";
import { DONE, script, sh, WORK } from "../hostile-run.ts";
import { type LoopWorkspace, loopWorkspace, type WorkspaceOptions } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const withLanes = async (options: WorkspaceOptions): Promise<LoopWorkspace> =>
  await loopWorkspace({ isBuilt: true, ...options, env: { HOME: temporaryFolder(), ...options.env } });

/** A workspace with unproven work of its task: `a.txt` changed, `new.txt` added, `old.txt` removed. */
async function unproven(): Promise<LoopWorkspace & { readonly id: string; readonly ref: string }> {
  const place = await withLanes({
    files: { "a.txt": "a\nb\nc\n", "old.txt": "old\n", "other.txt": "other\n" },
    script: script([sh("sed -i s/a/A/ a.txt; echo new > new.txt; rm old.txt"), { say: "More to do." }]),
  });
  expect((await place.run("--max-iterations", "1")).outcomes).toEqual(["unfinished"]);
  const id = place.ids[0]!;
  return { ...place, id, ref: `refs/ralph/work/${id}` };
}

const shown = async (place: LoopWorkspace) =>
  JSON.parse((await place.ralphctl("lanes", "--json")).stdout) as {
    folder: string;
    lanes: { lane: number | string; folder: string; state: string; run: string; task: unknown; isSetUp: boolean }[];
    unfinished: { task: string; files: number }[];
    kept: { ref: string; subject: string }[];
  };

describe.concurrent("ralphctl lanes", () => {
  test("L-42 L-05 shows lane and room, who used them last, and unfinished work", async () => {
    const place = await unproven();
    const head = place.git("rev-parse", "HEAD");
    const { lanes, unfinished, kept, folder } = await shown(place);
    const common = { branch: "main", commit: head, run: expect.stringMatching(/^r-/), state: "free" };
    expect(lanes).toEqual([
      expect.objectContaining({
        ...common,
        lane: 1,
        folder: join(folder, "1"),
        task: { id: place.id, title: "Do it" },
      }),
      expect.objectContaining({ ...common, lane: "room", folder: join(folder, "room"), task: null }),
    ]);
    expect([unfinished, kept]).toEqual([
      [{ task: place.id, title: "Do it", ref: place.ref, files: 3, keptAt: expect.any(String) }],
      [],
    ]);
    const { code, stdout } = await place.ralphctl("lanes");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^Lane 1\n  Folder +${join(folder, "1")}\n  Size +\\d+KB\n  At +${head.slice(0, 10)}`),
    );
    expect(stdout).toContain(`\n\nUnfinished work\n  ${place.id} Do it · 3 files · `);
    expect((await place.ralphctl("lanes", "open", "1")).stdout).toBe(`cd ${join(folder, "1")}\n`);
  });

  test("L-42 before the first run, and for a lane that is not there, a sentence says so", async () => {
    const place = await withLanes({ script: script([WORK, DONE]) });
    const none = await place.ralphctl("lanes");
    expect([none.code, none.stdout]).toEqual([0, "No lanes yet: the first ralphctl run makes one\n"]);
    const open = await place.ralphctl("lanes", "open", "1");
    const gc = await place.ralphctl("lanes", "gc");
    expect([open.code, open.stderr, gc.stdout]).toEqual([
      64,
      "error: There are no lanes yet\nhint: The first ralphctl run makes one\n",
      "There is nothing to remove\n",
    ]);
    await place.run();
    const rm = await place.ralphctl("lanes", "rm", "7");
    expect([rm.code, rm.stderr]).toEqual([64, 'error: There is no lane "7"\nhint: Choose one of: 1, room\n']);
    const take = await place.ralphctl("lanes", "take", place.ids[0]!);
    expect([take.code, take.stderr]).toEqual([
      64,
      `error: ${place.ids[0]} has no unproven work\nhint: Run ralphctl lanes to see which tasks have\n`,
    ]);
  });

  test("X-75 L-42 a lane that a run uses stays", async () => {
    const place = await unproven();
    const lock = await lockTree(join(place.folder, ".git"), { run: "r-20261116-014755-3f2a", scope: "workspace" });
    const codes = [];
    for (const args of [["rm", "1"], ["gc"], ["take", place.id]]) {
      codes.push((await place.ralphctl("lanes", ...args)).code);
    }
    lock.release();
    expect([codes, (await shown(place)).lanes.length]).toEqual([[75, 75, 75], 2]);
  });
});

describe.concurrent("ralphctl lanes take", () => {
  test("L-42 brings unproven work into the tree as uncommitted changes, onto later commits; the ref stays", async () => {
    const place = await unproven();
    place.write({ "a.txt": "a\nb\nC\n", "other.txt": "mine\n" });
    place.git("commit", "--quiet", "--message", "Mine", "a.txt");
    const answer = await place.ralphctl("lanes", "take", place.id.slice(0, 6));
    expect([answer.code, answer.stdout]).toEqual([
      0,
      `Took the unproven work of ${place.id} "Do it" into your tree: a.txt, new.txt, old.txt\n`,
    ]);
    expect([place.git("status", "--porcelain").split("\n"), place.read("a.txt")]).toEqual([
      ["M a.txt", " D old.txt", " M other.txt", "?? new.txt"],
      "A\nb\nC\n",
    ]);
    expect(place.git("rev-parse", "--verify", place.ref)).not.toBe("");
    const again = await place.ralphctl("lanes", "take", place.id);
    expect(again.stdout).toBe(`Your tree has all of the work of ${place.id} already\n`);
  });

  test("L-42 changes of the person's in the same files, ignored ones too, refuse it whole", async () => {
    const place = await unproven();
    place.write({ "a.txt": "mine\n", "new.txt": "mine\n", ".git/info/exclude": "new.txt\n" });
    const answer = await place.ralphctl("lanes", "take", place.id);
    expect([answer.code, answer.stderr, place.git("status", "--porcelain"), place.read("new.txt")]).toEqual([
      64,
      `error: The work of ${place.id} and your uncommitted changes are in the same files: a.txt, new.txt\n` +
        "hint: Commit, stash or move yours, and run this command again\n",
      "M a.txt",
      "mine\n",
    ]);
  });

  test("L-42 a conflict with a commit names the files, and changes nothing", async () => {
    const place = await unproven();
    place.write({ "a.txt": "mine\n" });
    place.git("commit", "--quiet", "--message", "Mine", "a.txt");
    const answer = await place.ralphctl("lanes", "take", place.id);
    expect([answer.code, answer.stderr.split("\n")[0], place.git("status", "--porcelain")]).toEqual([
      64,
      `error: The work of ${place.id} conflicts with your last commit, in a.txt`,
      "",
    ]);
  });
});

test.concurrent("E-07 lanes drop lets the next session begin without unproven work, which a ref keeps", async () => {
  const place = await unproven();
  const commit = place.git("rev-parse", place.ref);
  const answer = await place.ralphctl("lanes", "drop", place.id.slice(0, 6));
  const kept = `refs/ralph/lost/${commit.slice(0, 16)}`;
  expect([answer.code, answer.stdout, place.git("rev-parse", kept)]).toEqual([
    0,
    `The next session of ${place.id} "Do it" begins without its unproven work, which is ${kept}\n`,
    commit,
  ]);
  expect(place.git("for-each-ref", place.ref)).toBe("");
  const again = await place.ralphctl("lanes", "drop", place.id);
  expect([again.code, again.stderr]).toEqual([
    64,
    `error: ${place.id} has no unproven work\nhint: Run ralphctl lanes to see which tasks have\n`,
  ]);
});

describe.concurrent("removing lanes", () => {
  test("L-42 rm saves what only the lane has, says so, and the next run makes it again", async () => {
    const place = await unproven();
    const [lane] = (await shown(place)).lanes;
    writeFileSync(join(lane!.folder, "by-hand.txt"), "mine\n");
    const answer = await place.ralphctl("lanes", "rm", "1");
    const [kept] = (await shown(place)).kept;
    expect([answer.code, answer.stdout]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(`^Removed lane 1, ${lane!.folder} \\(\\d+KB\\)\\. What only it had is ${kept!.ref}\n$`),
      ),
    ]);
    expect([place.git("show", `${kept!.ref}:by-hand.txt`), existsSync(lane!.folder)]).toEqual(["mine", false]);
    expect((await place.run("--max-iterations", "1")).outcomes).toEqual(["idle"]);
  });

  test("L-42 gc removes all places, work of settled tasks, and lost files only if asked and old", async () => {
    const place = await unproven();
    const now = new Date().toISOString().replaceAll(/[-:.]/g, "");
    for (const name of ["1-20200101T000000000Z", `1-${now}`, "0123456789abcdef"]) {
      place.git("update-ref", `refs/ralph/lost/${name}`, "HEAD");
    }
    // As a process leaves it that was killed while it cloned.
    const { folder } = await shown(place);
    mkdirSync(join(folder, "1.new.draft"));
    const first = await place.ralphctl("lanes", "gc");
    expect(readdirSync(folder)).toEqual(["bin"]);
    expect(first.stdout).toMatch(
      /^Removed lane 1, .*It had nothing that is not kept elsewhere\nRemoved the room, .*\n$/,
    );
    const { lanes, unfinished, kept } = await shown(place);
    expect([lanes, unfinished.length, kept.length]).toEqual([[], 1, 3]);
    await place.task("drop", place.id, "--reason", "Not needed");
    const second = await place.ralphctl("lanes", "gc", "--lost");
    expect(second.stdout).toBe(
      `Removed the work of 1 settled task: ${place.ref}\n` +
        "Removed saved files older than 30 days: refs/ralph/lost/1-20200101T000000000Z\n",
    );
    expect((await shown(place)).kept.map(({ ref }) => ref).sort()).toEqual(
      ["refs/ralph/lost/0123456789abcdef", `refs/ralph/lost/1-${now}`].sort(),
    );
  });
});

describe.concurrent("lanes of killed runs", () => {
  test("L-05 L-41 doctor names a lane whose run was killed, and --fix saves its work", async () => {
    const place = await unproven();
    const { folder } = await shown(place);
    const row = join(folder, "1.json");
    const { endedAt: _, ...open } = JSON.parse(readFileSync(row, "utf8")) as {
      run: string;
      owner: object;
      endedAt: string;
    };
    // As a run leaves it that was killed: its process is gone, and it has not said that it ended.
    writeFileSync(row, JSON.stringify({ ...open, owner: { ...open.owner, startTime: "0" } }));
    writeFileSync(join(folder, "1", "half.txt"), "half\n");
    expect((await shown(place)).lanes.map(({ state }) => state)).toEqual(["left", "free"]);
    const named = await place.ralphctl("doctor");
    expect(named.stdout).toContain(`Run ${open.run} was killed in lane 1, ${join(folder, "1")}\n`);
    const fixed = await place.ralphctl("doctor", "--fix");
    const [kept] = (await shown(place)).kept;
    expect(fixed.stderr).toBe(
      `Run ${open.run} was killed in lane 1: ended 0 of its processes, and saved its work as ${kept!.ref}\n`,
    );
    expect([place.git("show", `${kept!.ref}:half.txt`), fixed.stdout.includes("was killed in lane")]).toEqual([
      "half",
      false,
    ]);
    expect((await shown(place)).lanes.map(({ state }) => state)).toEqual(["free", "free"]);
  });

  test("L-05 a lane whose folder somebody removed is still listed, and made again", async () => {
    const place = await unproven();
    const { folder } = await shown(place);
    rmSync(join(folder, "1"), { recursive: true });
    expect((await place.ralphctl("lanes")).stdout).toContain("(gone; the next run makes it again)");
    expect((await place.ralphctl("lanes", "open", "1")).code).toBe(64);
    expect((await place.run("--max-iterations", "1")).outcomes).toEqual(["idle"]);
  });
});
