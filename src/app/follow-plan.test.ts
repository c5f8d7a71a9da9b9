import { readFileSync, statSync, chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder, write } from "../../test/temporary-folder.ts";
import type { Task } from "../domain/task.ts";
import { createMemoryStore } from "../../test/memory-store/memory-store.ts";
import type { Store } from "../store/store.ts";
import { type FollowedPlan, followPlan, type FollowRequest } from "./follow-plan.ts";
import { markPlan } from "./mark-plan.ts";

const ME = { host: "here", pid: 1, startTime: "1" };
const PLAN = "IMPLEMENTATION_PLAN.md";

interface World {
  readonly store: Store;
  readonly root: string;
  readonly follow: (more?: Partial<FollowRequest>) => Promise<FollowedPlan>;
  readonly text: () => string;
  readonly rewrite: (text: string) => void;
  readonly states: () => Promise<string[]>;
  readonly idOf: (title: string) => Promise<string>;
}

function worldWith(content: string, file = PLAN): World {
  const root = temporaryFolder({ [file]: content });
  let number = 0;
  const newId = (): string => `t-${++number}`;
  const store = createMemoryStore({ clock: () => 1000, newId, isAlive: () => true });
  const request = { store, root, file, scope: "workspace", editor: "person", newId, clock: () => 1000 } as const;
  const tasks = async (): Promise<readonly Task[]> => (await store.list()).tasks;
  return {
    store,
    root,
    follow: async (more = {}) => {
      const result = await followPlan({ ...request, ...more });
      if (result.kind !== "followed") throw new Error(JSON.stringify(result));
      return result;
    },
    text: () => readFileSync(join(root, file), "utf8"),
    rewrite: (text) => writeFileSync(join(root, file), text),
    states: async () => (await tasks()).map(({ id, title, status }) => `${id} ${title}: ${status}`),
    idOf: async (title) => (await tasks()).find((task) => task.title === title)!.id,
  };
}

const claim = async (store: Store, id: string) =>
  (await store.claim({ only: [id], owner: ME, leaseMs: 60_000 }))!.lease;
const DONE = { outcome: "verified", to: "done", counted: true } as const;
const names = (list: readonly { readonly title: string }[]): string[] => list.map(({ title }) => title);

describe("following", () => {
  test("W-07 P-50 followed at the same moment by two, each entry becomes one task", async () => {
    const world = worldWith("- [ ] One\n- [ ] Two\n- [ ] Three\n");
    const both = await Promise.all([world.follow(), world.follow()]);
    expect([both.map(({ added }) => added.length).sort(), await world.states()]).toEqual([
      [0, 3],
      ["t-1 One: pending", "t-2 Two: pending", "t-3 Three: pending"],
    ]);
  });

  test("an id that is taken, and a task that goes away meanwhile, let it look again", async () => {
    const { store, follow, rewrite, states, idOf } = worldWith("- [ ] One\n");
    await store.add([{ id: "t-1", scope: "workspace", title: "Not of the file" }]);
    await follow();
    expect(await states()).toEqual(["t-1 Not of the file: pending", "t-2 One: pending"]);
    const one = await idOf("One");
    let isThere = true;
    const losing: Store = {
      ...store,
      apply: async (edits, by) => {
        if (isThere) await store.remove(one);
        isThere = false;
        return await store.apply(edits, by);
      },
    };
    rewrite("- [-] One\n");
    await follow({ store: losing });
    expect([isThere, await states()]).toEqual([false, ["t-1 Not of the file: pending", "t-3 One: dropped"]]);
  });

  test("P-50 entries become tasks in the order of the file, with parents, needs, texts and marks", async () => {
    const { store, follow, text } = worldWith(
      "# Plan\n\n## Login\n- [x] T001 Form\n- [ ] T002 Post it (needs: T001)\n  Over HTTPS.\n  - Acceptance: works\n- [-] Fax\n",
    );
    const before = text();
    const result = await follow();
    expect(names(result.added)).toEqual(["Plan", "Login", "Form", "Post it", "Fax"]);
    const tasks = (await store.list()).tasks;
    expect(
      tasks.map(({ title, status, parent, needs, description, acceptance, source, scope, createdAt }) => ({
        title,
        status,
        parent,
        needs,
        description,
        acceptance,
        file: source?.file,
        scope,
        createdAt,
      })),
    ).toEqual(
      [
        { title: "Plan", status: "pending", parent: undefined },
        { title: "Login", status: "pending", parent: "t-1" },
        { title: "Form", status: "done", parent: "t-2" },
        { title: "Post it", status: "pending", parent: "t-2", needs: ["t-3"] },
        { title: "Fax", status: "dropped", parent: "t-2" },
      ].map((wanted, index) =>
        Object.assign(
          {
            needs: [],
            description: index === 3 ? expect.stringContaining("Over HTTPS.") : "",
            acceptance: index === 3 ? ["works"] : [],
            file: PLAN,
            scope: "workspace",
            createdAt: 996 + index,
          },
          wanted,
        ),
      ),
    );
    expect((await store.ready()).map(({ title }) => title)).toEqual(["Post it"]);
    expect(text()).toBe(before);
  });

  test("P-50 following again changes nothing, not even a time", async () => {
    const { store, follow } = worldWith("- [ ] a\n- [x] b\n");
    await follow();
    const before = await store.list();
    const result = await follow();
    expect(result).toEqual({
      kind: "followed",
      file: PLAN,
      entries: 2,
      added: [],
      updated: [],
      dropped: [],
      revived: [],
      marked: [],
      claims: [],
      revertedMarks: [],
      notices: [],
    });
    expect(await store.list()).toEqual(before);
  });

  test("P-50 a verified task is marked, and everything else stays byte for byte", async () => {
    const plan = "\uFEFF# P\r\n* [ ] first  \r\n\t+ [>] below\r\n1. [ ] last <!-- id: z -->";
    const { store, root, follow, text, idOf } = worldWith(plan);
    chmodSync(join(root, PLAN), 0o640);
    await follow();
    await store.settle(await claim(store, await idOf("last")), DONE);
    expect(await markPlan({ store, root, file: PLAN })).toEqual({
      kind: "marked",
      file: PLAN,
      changed: true,
      unmarked: [],
    });
    expect(text()).toBe(plan.replace("1. [ ]", "1. [x]"));
    expect(statSync(join(root, PLAN)).mode & 0o777).toBe(0o640);
    expect(await follow({ editor: "agent" })).toMatchObject({ claims: [], revertedMarks: [], marked: [] });
  });

  test("P-51 an entry that is gone: its pending task is dropped with the reason, and revives if it returns", async () => {
    const { store, follow, rewrite, states, idOf } = worldWith("- [ ] a\n- [ ] b\n- [ ] c\n- [x] d\n");
    await follow();
    await claim(store, await idOf("c"));
    rewrite("- [ ] a\n");
    expect(names((await follow()).dropped)).toEqual(["b"]);
    expect(await states()).toEqual(["t-1 a: pending", "t-2 b: dropped", "t-3 c: in_progress", "t-4 d: done"]);
    expect((await store.get("t-2"))!.reason).toBe("Its entry is gone from IMPLEMENTATION_PLAN.md.");
    rewrite("- [ ] b\n- [x] d\n- [ ] c\n- [ ] a\n");
    expect(names((await follow({ editor: "agent" })).revived)).toEqual(["b"]);
    expect(await states()).toEqual(["t-1 a: pending", "t-2 b: pending", "t-3 c: in_progress", "t-4 d: done"]);
  });

  test("P-51 a renamed entry keeps its task, a moved one too", async () => {
    const { store, follow, rewrite, states } = worldWith("# P\n## A\n- [ ] Write the login page\n## B\n- [ ] Other\n");
    await follow();
    rewrite("# P\n## A\n- [ ] Write the log-in page\n  With words.\n## B\n- [ ] Other\n");
    expect(names((await follow()).updated)).toEqual(["Write the log-in page"]);
    expect(await states()).toContain("t-3 Write the log-in page: pending");
    expect((await store.get("t-3"))!.description).toBe("With words.");
    rewrite("# P\n## B\n- [ ] Other\n");
    await follow();
    expect(await states()).toEqual([
      "t-1 P: pending",
      "t-2 A: dropped",
      "t-3 Write the log-in page: dropped",
      "t-4 B: pending",
      "t-5 Other: pending",
    ]);
  });

  test("P-51 a heading whose entries moved away is dropped and never assigned", async () => {
    const { store, follow, rewrite } = worldWith("# P\n## A\n- [ ] [K1] one\n## B\n- [ ] [K2] two\n");
    await follow();
    rewrite("# P\n## B\n- [ ] [K2] two\n- [ ] [K1] one\n");
    await follow();
    expect((await store.ready()).map(({ title }) => title)).toEqual(["one", "two"]);
    expect((await store.get("t-2"))!.status).toBe("dropped");
    expect((await store.get("t-3"))!.parent).toBe("t-4");
  });

  test("P-51 what somebody changed in the DAG stays: priority, edges, answers", async () => {
    const { store, follow, rewrite, idOf } = worldWith(
      "- [ ] T001 a\n  Words.\n- [ ] T002 b (needs: T001)\n- [ ] T003 c\n",
    );
    await follow();
    const [a, b, c] = [await idOf("a"), await idOf("b"), await idOf("c")];
    await store.update(a, { priority: 0 }, "person");
    await store.addDependency(b, c);
    await store.settle(await claim(store, a), { outcome: "parked", to: "parked", counted: false, question: "Why?" });
    await store.change(a, { kind: "answer", answer: "So." }, "person");
    rewrite("- [ ] T001 a\n  More words.\n- [ ] T002 b\n- [ ] T003 c\n");
    await follow();
    expect(await store.get(a)).toMatchObject({
      priority: 0,
      description: "More words.\n\nQuestion: Why?\nAnswer: So.",
    });
    expect((await store.get(b))!.needs).toEqual([c]);
  });

  test("P-51 tasks that came by import are recognised without a memory", async () => {
    const { store, follow, rewrite, states } = worldWith("- [ ] a\n- [x] b\n");
    await follow();
    await store.setMeta(`plan:${PLAN}`, undefined);
    expect(await follow()).toMatchObject({ added: [], updated: [], marked: [] });
    await store.setMeta(`plan:${PLAN}`, [null, { taskId: 5 }, "junk"]);
    rewrite("- [ ] a!\n- [x] b\n- [ ] c\n");
    expect(names((await follow()).added)).toEqual(["c"]);
    expect(await states()).toEqual(["t-1 a!: pending", "t-2 b: done", "t-3 c: pending"]);
  });

  test("P-52 a mark by the agent on the assigned task is a claim; the file shows it when it is proven", async () => {
    const { store, root, follow, rewrite, states, text } = worldWith("- [ ] a\n- [ ] b\n");
    await follow();
    const lease = await claim(store, "t-1");
    rewrite("- [x] a\n- [ ] b\n");
    const result = await follow({ editor: "agent", assigned: "t-1" });
    expect(result.claims).toEqual([{ id: "t-1", title: "a", line: 1, mark: "done" }]);
    expect(result.revertedMarks).toEqual([]);
    expect(await states()).toEqual(["t-1 a: in_progress", "t-2 b: pending"]);
    expect(text()).toBe("- [ ] a\n- [ ] b\n");
    await store.settle(lease, DONE);
    await markPlan({ store, root, file: PLAN });
    expect(text()).toBe("- [x] a\n- [ ] b\n");
  });

  test("P-52 marks by the agent on other tasks are put back and told: done, undone, dropped, new", async () => {
    const { store, follow, rewrite, states, text } = worldWith("- [ ] a\n- [ ] b\n- [x] c\n- [ ] d\n");
    await follow();
    await claim(store, "t-1");
    rewrite("- [-] a\n- [X] b\n- [ ] c\n- [>] d\n- [x] e\n");
    const result = await follow({ editor: "agent", assigned: "t-1" });
    expect(result.claims).toEqual([]);
    expect(result.revertedMarks).toEqual([
      { id: "t-5", title: "e", line: 5, mark: "done" },
      { id: "t-1", title: "a", line: 1, mark: "dropped" },
      { id: "t-2", title: "b", line: 2, mark: "done" },
      { id: "t-3", title: "c", line: 3, mark: "open" },
    ]);
    expect(text()).toBe("- [ ] a\n- [ ] b\n- [x] c\n- [>] d\n- [ ] e\n");
    expect(await states()).toEqual([
      "t-1 a: in_progress",
      "t-2 b: pending",
      "t-3 c: done",
      "t-4 d: pending",
      "t-5 e: pending",
    ]);
    expect(await follow()).toMatchObject({ marked: [], revertedMarks: [] });
  });

  test("P-52 a person's marks count, on whatever state; over a parent its children decide", async () => {
    const { store, follow, rewrite, states, text } = worldWith(
      "- [ ] a\n- [ ] b\n- [x] c\n- [ ] p\n  - [ ] q\n- [ ] w\n",
    );
    await follow();
    await store.change("t-2", { kind: "fail", reason: "no" }, "person");
    await claim(store, "t-6");
    rewrite("- [x] a\n- [-] b\n- [ ] c\n- [x] p\n  - [ ] q\n- [x] w\n");
    const result = await follow();
    expect(result.marked.map(({ title, mark }) => `${title} ${mark}`)).toEqual(["a done", "b dropped", "c open"]);
    expect(names(result.revertedMarks)).toEqual(["p"]);
    expect(await states()).toEqual([
      "t-1 a: done",
      "t-2 b: dropped",
      "t-3 c: pending",
      "t-4 p: pending",
      "t-5 q: pending",
      "t-6 w: in_progress",
    ]);
    expect(text()).toBe("- [x] a\n- [-] b\n- [ ] c\n- [ ] p\n  - [ ] q\n- [x] w\n");
  });

  // Of a and c, which the landing marked and added; the person's file has neither.
  const LANDED = "- [x] a\n- [ ] b\n- [ ] c\n";
  const OLDER = "- [ ] a\n- [ ] b\n";
  test.each([
    [
      "the checked out commit never had",
      { landing: LANDED, head: OLDER, base: OLDER, isElsewhere: false },
      "- [x] a\n- [ ] b\n",
      "kept",
    ],
    ["a commit of theirs took away", { landing: LANDED, head: OLDER, base: LANDED, isElsewhere: false }, OLDER, "lost"],
    ["the checked out commit has", { landing: LANDED, head: LANDED, base: OLDER, isElsewhere: false }, OLDER, "lost"],
    ["is not on the landing", { landing: OLDER, head: OLDER, base: OLDER, isElsewhere: false }, OLDER, "lost"],
  ])("P-52 L-24 what a person's file lacks, and %s", async (_what, versions, text, then) => {
    const world = worldWith(LANDED);
    await world.follow();
    world.rewrite(`${OLDER}- [ ] mine\n`);
    const result = await world.follow({ versions: async () => await Promise.resolve(versions) });
    const { marked, dropped, revertedMarks } = result;
    const isKept = then === "kept";
    expect([names(marked), names(dropped), revertedMarks]).toEqual(isKept ? [[], [], []] : [["a"], ["c"], []]);
    expect((await world.states()).slice(0, 3)).toEqual(
      isKept
        ? ["t-1 a: done", "t-2 b: pending", "t-3 c: pending"]
        : ["t-1 a: pending", "t-2 b: pending", "t-3 c: dropped"],
    );
    expect(world.text()).toBe(`${text}- [ ] mine\n`);
    // Once the branch has followed, the person can take them away.
    world.rewrite(LANDED);
    await world.follow();
    world.rewrite(OLDER);
    const later = await world.follow();
    expect([names(later.marked), names(later.dropped)]).toEqual([["a"], ["c"]]);
  });

  test.each(["person", "agent"] as const)(
    "P-52 T-41 marks and entries as another branch has them stay, and say nothing to the run of a %s",
    async (editor) => {
      const there = "- [ ] a\n- [x] b\n";
      const world = worldWith(LANDED);
      const versions = async () =>
        await Promise.resolve({ landing: LANDED, head: there, base: OLDER, isElsewhere: true });
      await world.follow();
      world.rewrite(`${there}- [ ] mine\n`);
      for (let times = 0; times < 2; times += 1) {
        expect(await world.follow({ editor, versions })).toMatchObject({ marked: [], dropped: [], revertedMarks: [] });
      }
      expect([world.text(), (await world.states()).slice(0, 3)]).toEqual([
        `${there}- [ ] mine\n`,
        ["t-1 a: done", "t-2 b: pending", "t-3 c: pending"],
      ]);
      // A mark that the branch does not have is somebody's.
      world.rewrite("- [x] a\n- [x] b\n- [x] mine\n");
      expect(await world.follow({ editor, versions })).toMatchObject(
        editor === "agent" ? { revertedMarks: [{ title: "mine" }] } : { marked: [{ title: "mine" }] },
      );
      world.rewrite(LANDED);
      expect(await world.follow()).toMatchObject({ marked: [], revertedMarks: [] });
    },
  );

  test("P-52 P-53 L-24 what a person's file lacks, and nobody can read in git, is the person's word", async () => {
    const story = (passes: boolean): string => JSON.stringify({ userStories: [{ id: "a", title: "A", passes }] });
    const world = worldWith(story(true), "prd.json");
    await world.follow();
    world.rewrite(story(false));
    const versions = { landing: story(true), head: story(false), base: "{", isElsewhere: false };
    expect((await world.follow({ versions: async () => await Promise.resolve(versions) })).marked).toHaveLength(1);
  });

  test("P-53 a file that does not parse: line and column, and the DAG is as it was", async () => {
    const { store, root, follow, rewrite } = worldWith(
      "goal: g\ndynamic-steps:\n  - id: step-1\n    prompt: a\n",
      "s/PROGRESS.yaml",
    );
    await follow();
    const before = await store.list();
    rewrite("goal: g\ndynamic-steps:\n  - id: [\n");
    const request = { store, root, file: "s/PROGRESS.yaml", scope: "sprint/s", editor: "agent" } as const;
    const result = await followPlan(request);
    expect(result).toMatchObject({
      kind: "unreadable",
      file: "s/PROGRESS.yaml",
      line: expect.any(Number),
      column: expect.any(Number),
    });
    expect("message" in result && result.message).toMatch(/^s\/PROGRESS\.yaml: line \d+, column \d+: /);
    expect((await markPlan({ store, root, file: "s/PROGRESS.yaml" })).kind).toBe("unreadable");
    writeFileSync(join(root, "s/PROGRESS.yaml"), new Uint8Array([0x61, 0xff]));
    expect((await followPlan(request)).kind).toBe("unreadable");
    expect(await store.list()).toEqual(before);
  });

  test("P-53 L-26 a file with an unresolved conflict adds nothing, and gets no mark, until it is resolved", async () => {
    const { store, root, follow, rewrite } = worldWith("- [ ] a\n- [ ] b\n");
    const file = PLAN;
    await follow();
    const before = await store.list();
    rewrite("- [ ] a\n<<<<<<< ours\n- [x] b\n=======\n- [ ] b\n- [ ] c\n>>>>>>> theirs\n");
    const request = { store, root, file, scope: "workspace", editor: "person" } as const;
    expect(await followPlan(request)).toEqual({
      kind: "unreadable",
      file,
      message: `${file} has conflict markers`,
      hint: "Resolve the conflict, and git add the file",
    });
    expect((await markPlan({ store, root, file })).kind).toBe("unreadable");
    expect(await store.list()).toEqual(before);
  });

  test("P-53 needs that go round: the entries are named with their lines, and the DAG is as it was", async () => {
    const { store, root, follow, rewrite } = worldWith("- [ ] T001 a\n");
    await follow();
    const before = await store.list();
    rewrite("- [ ] T001 a (needs: T003)\n- [ ] T002 b (needs: T001)\n- [ ] T003 c (needs: T002)\n");
    const result = await followPlan({ store, root, file: PLAN, scope: "workspace", editor: "agent" });
    expect(result).toEqual({
      kind: "refused",
      file: PLAN,
      message: `${PLAN}: these entries would wait for each other: "a" (line 1) → "c" (line 3) → "b" (line 2) → "a" (line 1)`,
      hint: "Remove one of these needs",
      line: 1,
    });
    expect(await store.list()).toEqual(before);
  });

  test("P-53 a file that closes a cycle with other tasks is refused as a whole", async () => {
    const { store, root, follow, rewrite } = worldWith("- [ ] T001 a\n- [ ] T002 b\n");
    await follow();
    await store.addDependency("t-1", "t-2");
    rewrite("- [ ] T001 a\n- [ ] T002 b (needs: T001)\n- [ ] T003 new\n");
    const result = await followPlan({ store, root, file: PLAN, scope: "workspace", editor: "person" });
    expect(result).toMatchObject({ kind: "refused", message: expect.stringContaining("t-2 → t-1 → t-2") });
    expect((await store.list()).tasks).toHaveLength(2);
  });

  test("a file that is missing changes nothing", async () => {
    const { store, root } = worldWith("- [ ] a\n");
    const result = await followPlan({ store, root, file: "none.md", scope: "workspace", editor: "person" });
    expect(result).toEqual({ kind: "missing", file: "none.md" });
  });

  test("W-05 a link that leaves the workspace is refused", async () => {
    const { store, root } = worldWith("- [ ] a\n");
    const outside = temporaryFolder({ "plan.md": "- [ ] x\n" });
    symlinkSync(join(outside, "plan.md"), join(root, "linked.md"));
    const request = { store, root, file: "linked.md", scope: "workspace", editor: "person" } as const;
    await expect(followPlan(request)).rejects.toThrow("points outside the workspace");
    await expect(markPlan(request)).rejects.toThrow("points outside the workspace");
    await expect(followPlan({ ...request, file: "../x.md" })).rejects.toThrow("points outside the workspace");
  });

  test("a link inside the workspace stays a link when its file is marked", async () => {
    const { store, root } = worldWith("- [ ] a\n");
    write(root, { "docs/real.md": "- [ ] x\n" });
    symlinkSync("docs/real.md", join(root, "linked.md"));
    await followPlan({ store, root, file: "linked.md", scope: "workspace", editor: "person" });
    await store.change((await store.list()).tasks[0]!.id, { kind: "complete" }, "person");
    await markPlan({ store, root, file: "linked.md" });
    expect(readFileSync(join(root, "docs/real.md"), "utf8")).toBe("- [x] x\n");
  });

  test("an entry that is longer than a task can be is cut, not refused", async () => {
    const { store, follow } = worldWith(`- [ ] ${"x".repeat(1_000_000)}\n- [ ] b\n`);
    await follow();
    const [first] = (await store.list()).tasks;
    expect(first!.title).toBe(`${"x".repeat(999)}…`);
    expect(first!.description).toHaveLength(1_000_000);
  });
});

describe("sprints and stories", () => {
  const SPRINT = "# mine\ngoal: g # keep\ndynamic-steps:\n  - id: step-1\n    prompt: One\n    status: pending\n";

  test("S003-07 a step that the agent adds to PROGRESS.yaml is taken up", async () => {
    const { follow, rewrite, store } = worldWith(SPRINT, "PROGRESS.yaml");
    await follow();
    rewrite(`${SPRINT}  - id: step-2\n    prompt: Two\n    status: pending\n    added-in-iteration: 1\n`);
    const result = await follow({ editor: "agent", assigned: "t-1", scope: "sprint/s" });
    expect(names(result.added)).toEqual(["Two"]);
    expect((await store.ready()).map(({ title }) => title)).toEqual(["One", "Two"]);
    expect((await store.get("t-2"))!.scope).toBe("sprint/s");
  });

  test("D-11 failed and parked steps stay pending in the file, with ralph-status beside; comments stay", async () => {
    const two = `${SPRINT}  - id: step-2\n    prompt: Two\n    status: pending\n  - {id: step-3, prompt: Three}\n`;
    const { follow, store, root, text } = worldWith(two, "PROGRESS.yaml");
    await follow();
    await store.change("t-1", { kind: "fail", reason: "no" }, "person");
    await store.change("t-2", { kind: "park", question: "why" }, "person");
    await markPlan({ store, root, file: "PROGRESS.yaml" });
    expect(text()).toContain("status: pending\n    ralph-status: failed\n");
    expect(text()).toContain("status: pending\n    ralph-status: parked\n");
    expect(text().replaceAll(/ +ralph-status: \w+\n/g, "")).toBe(two);
    await store.change("t-1", { kind: "reset" }, "person");
    await store.change("t-2", { kind: "answer", answer: "so" }, "person");
    await markPlan({ store, root, file: "PROGRESS.yaml" });
    expect(text()).toBe(two);
    expect(await follow()).toMatchObject({ added: [], updated: [], marked: [], revertedMarks: [] });
  });

  test("D-11 phases have edges, dynamic steps only their order", async () => {
    const phases = "goal: g\nphases:\n  - id: p1\n    prompt: One\n  - id: p2\n    prompt: Two\n";
    const { follow, store } = worldWith(phases, "PROGRESS.yaml");
    await follow();
    expect((await store.list()).tasks.map(({ title, needs }) => [title, needs])).toEqual([
      ["One", []],
      ["Two", ["t-1"]],
    ]);
  });

  test("P-50 prd.json: priorities and marks", async () => {
    const prd =
      '{ "userStories": [\n { "id": "S1", "title": "One", "priority": 9, "passes": false },\n { "id": "S2", "title": "Two", "priority": 1.5, "passes": false } ] }\n';
    const { follow, store, root, text } = worldWith(prd, "prd.json");
    await follow();
    expect((await store.ready()).map(({ title, priority }) => [title, priority])).toEqual([
      ["Two", 2],
      ["One", 9],
    ]);
    await store.change("t-1", { kind: "complete" }, "person");
    await markPlan({ store, root, file: "prd.json" });
    expect(text()).toBe(prd.replace('9, "passes": false', '9, "passes": true'));
  });
});

describe("others at work", () => {
  test("a concurrent edit is never lost: what was written between reading and writing is followed too", async () => {
    const { store, follow, rewrite, text, root } = worldWith("- [ ] a\n- [ ] b\n");
    await follow();
    rewrite("- [x] a\n- [ ] b\n");
    let times = 0;
    const racing: Store = {
      ...store,
      async getMeta(key) {
        if (times++ === 0) rewrite("- [x] a\n- [ ] b\n- [ ] c\n");
        return await store.getMeta(key);
      },
    };
    const result = await follow({ store: racing, editor: "agent" });
    expect(names(result.added)).toEqual(["c"]);
    expect(text()).toBe("- [ ] a\n- [ ] b\n- [ ] c\n");

    await store.change("t-1", { kind: "complete" }, "person");
    times = 0;
    const racingAgain: Store = {
      ...racing,
      getMeta: async (key) => {
        if (times++ === 0) rewrite("- [ ] a\n- [ ] b\n- [ ] c\nWords.\n");
        return await store.getMeta(key);
      },
    };
    await markPlan({ store: racingAgain, root, file: PLAN });
    expect(text()).toBe("- [x] a\n- [ ] b\n- [ ] c\nWords.\n");
  });

  test("a file that never rests is given up with a sentence, and not overwritten", async () => {
    const { store, follow, rewrite, text, root } = worldWith("- [ ] a\n");
    await follow();
    rewrite("- [x] a\n");
    let times = 0;
    const racing: Store = {
      ...store,
      async getMeta(key) {
        rewrite(`- [x] a\n${++times}\n`);
        return await store.getMeta(key);
      },
    };
    expect(await followPlan({ store: racing, root, file: PLAN, scope: "workspace", editor: "agent" })).toEqual({
      kind: "refused",
      file: PLAN,
      message: `${PLAN} keeps changing, so ralphctl could not follow it`,
      hint: "Stop the program that keeps writing it",
    });
    expect(text()).toBe(`- [x] a\n${times}\n`);
  });

  test("S003-04 a file that never rests cannot be marked: theirs stays in it, and ours is kept beside", async () => {
    const { store, follow, rewrite, text, root } = worldWith("- [ ] a\n");
    await follow();
    await store.change("t-1", { kind: "complete" }, "person");
    let times = 0;
    const racing: Store = {
      ...store,
      async getMeta(key) {
        const meta = await store.getMeta(key);
        rewrite(`- [ ] a\n${++times}\n`);
        return meta;
      },
    };
    const ours = join(".ralph/backup/refused", PLAN);
    expect(await markPlan({ store: racing, root, file: PLAN })).toEqual({
      kind: "refused",
      file: PLAN,
      message: `${PLAN} keeps changing, so your version stays; ralphctl's version is in ${ours}`,
      hint: "Stop the program that keeps writing it",
    });
    expect([times, text(), readFileSync(join(root, ours), "utf8")]).toEqual([5, "- [ ] a\n5\n", "- [x] a\n4\n"]);
  });
});
