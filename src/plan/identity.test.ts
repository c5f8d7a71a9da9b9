import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matchEntries } from "./identity.ts";
import { changeTasks, implementationPlan } from "./checkboxes.ts";
import { textOfLines } from "./plan.contract.ts";
import type { KnownEntry, PlanEntry, PlanFormat } from "./plan.ts";

/** The entries of a text, remembered under their titles as task ids. */
const knownFrom = (
  entries: readonly PlanEntry[],
  taskIdOf: (at: number) => string = (at) => entries[at]!.title,
): KnownEntry[] =>
  entries.map(({ key, kind, title, description, status, parentKey }, at) => {
    return { taskId: taskIdOf(at), key, kind, title, description, status, parentKey };
  });

/** What became of each task, by the title it had. */
function fate(before: string, after: string, format: PlanFormat = implementationPlan) {
  const match = matchEntries(knownFrom(format.read(before).entries), format.read(after).entries);
  return {
    kept: Object.fromEntries(match.kept.map(({ taskId, entry }) => [taskId, entry.title])),
    added: match.added.map(({ title }) => title),
    gone: match.gone,
  };
}

describe("P-51 by example", () => {
  test("an id in the text outlives title, heading and mark", () => {
    const known = knownFrom(implementationPlan.read("# A\n- [ ] T001 Sign in\n# B\n- [ ] x").entries);
    const { entries } = implementationPlan.read("# A\n- [ ] y\n# B\n- [x] T001 Something else\n  with words");
    const { kept } = matchEntries(known, entries);
    expect(kept.find(({ taskId }) => taskId === "Sign in")).toEqual({
      taskId: "Sign in",
      entry: entries.find(({ id }) => id === "T001"),
      changed: { title: true, description: true, status: true, parent: true },
    });
  });

  test("the same title under the same headings is the same, whatever its form and place", () => {
    expect(
      fate("# P\n- [ ] Sign in\n- [ ] Sign out", "# P\n* [x] New\n1. [ ] ~~sign  OUT~~.\n2. [x] **Sign in**"),
    ).toEqual({
      kept: { P: "P", "Sign in": "**Sign in**", "Sign out": "~~sign  OUT~~." },
      added: ["New"],
      gone: [],
    });
  });

  test("equal titles are told apart by their order", () => {
    const { entries: before } = implementationPlan.read("- [x] test\n- [ ] test\n- [ ] test");
    const known = knownFrom(before, (at) => `task ${at}`);
    const { entries } = implementationPlan.read("- [x] test\n- [x] test");
    expect(matchEntries(known, entries)).toEqual({
      kept: [
        { taskId: "task 0", entry: entries[0], changed: {} },
        { taskId: "task 1", entry: entries[1], changed: { status: true } },
      ],
      added: [],
      gone: ["task 2"],
    });
  });

  test("the same title under two parents: each stays with its own", () => {
    const before = "- [ ] Login\n  - [ ] Test login\n- [ ] Logout\n  - [ ] Write tests";
    const after = "- [ ] Logout\n  - [ ] Write tests\n- [ ] Login\n  - [ ] Test login";
    expect(fate(before, after).gone).toEqual([]);
    const known = knownFrom(implementationPlan.read("- [ ] A\n  - [x] test\n- [ ] B\n  - [ ] test").entries);
    const swapped = matchEntries(
      known,
      implementationPlan.read("- [ ] B\n  - [ ] test\n- [ ] A\n  - [x] test").entries,
    );
    expect(swapped.kept.map(({ changed }) => changed)).toEqual([{}, {}, {}, {}]);
  });

  test("similar titles under one heading pair up, best first", () => {
    expect(
      fate(
        "# P\n- [ ] Add a login page\n- [ ] Add a logout page\n- [ ] Write the docs",
        "# P\n- [ ] Add the login page\n- [ ] Add a logout page with care\n- [ ] Ship it",
      ),
    ).toEqual({
      kept: { P: "P", "Add a login page": "Add the login page" },
      added: ["Add a logout page with care", "Ship it"],
      gone: ["Add a logout page", "Write the docs"],
    });
  });

  test("titles whose numbers differ are different work", () => {
    expect(fate("- [x] Add endpoint number 1", "- [ ] Add endpoint number 2")).toEqual({
      kept: {},
      added: ["Add endpoint number 2"],
      gone: ["Add endpoint number 1"],
    });
  });

  test("not under another heading", () => {
    expect(fate("# P\n## A\n- [ ] Sign in\n## B\n- [ ] x", "# P\n## A\n- [ ] y\n## B\n- [ ] x\n- [ ] Sign in")).toEqual(
      {
        kept: { P: "P", A: "A", B: "B", x: "x" },
        added: ["y", "Sign in"],
        gone: ["Sign in"],
      },
    );
  });

  test("a heading renamed a little keeps what it holds, and so do the headings in it", () => {
    expect(
      fate(
        "# P\n## Phase 1: Accounts\n### Backend services\n- [ ] Sign in\n## Z\n- [ ] z",
        "# P\n## Phase 1: User accounts\n### Back-end services\n- [x] Sign in\n## Z\n- [ ] z",
      ),
    ).toEqual({
      kept: {
        P: "P",
        "Phase 1: Accounts": "Phase 1: User accounts",
        "Backend services": "Back-end services",
        "Sign in": "Sign in",
        Z: "Z",
        z: "z",
      },
      added: [],
      gone: [],
    });
  });

  test.each([
    ["renamed", "# Plan\n## A\n- [ ] a\n## B\n- [ ] b", "# What we do next\n## A\n- [ ] a\n## B\n- [ ] b", []],
    ["taken away", "# Plan\n## A\n- [ ] a\n## B\n- [ ] b", "## A\n- [ ] a\n## B\n- [ ] b", ["Plan"]],
    ["given", "## A\n- [ ] a\n## B\n- [ ] b", "# Plan\n## A\n- [ ] a\n## B\n- [ ] b", []],
    ["joined by a second", "# Plan\n## A\n- [ ] a", "# Plan\n## A\n- [ ] a\n# More\n- [ ] m", []],
  ])("the file's own title is %s: nothing below it is lost", (_name, before, ...[after, gone]) => {
    expect(fate(before, after).gone).toEqual(gone);
  });

  test("a number moves with its title when the list is renumbered", () => {
    expect(
      fate(
        "## 1. Auth\n- [x] 1.1 Add table\n- [x] 1.2 Add index\n## 2. Web\n- [ ] 2.1 Page",
        "## 1. Auth\n- [ ] 1.1 Choose a database\n- [x] 1.2 Add table\n- [x] 1.3 Add index\n## 2. Web\n- [ ] 2.1 Start page",
        changeTasks,
      ),
    ).toEqual({
      kept: {
        "1. Auth": "1. Auth",
        "Add table": "Add table",
        "Add index": "Add index",
        "2. Web": "2. Web",
        Page: "Start page",
      },
      added: ["Choose a database"],
      gone: [],
    });
  });

  test("an entry that vanished is named once, and comes back by its key", () => {
    const { entries } = implementationPlan.read("- [ ] Sign in\n- [ ] T001 Sign out\n- [ ] Stay");
    const known = knownFrom(entries);
    const without = implementationPlan.read("- [ ] Stay").entries;
    expect(matchEntries(known, without).gone).toEqual(["Sign in", "Sign out"]);
    const after = known.map((entry) => Object.assign({ isGone: entry.taskId !== "Stay" }, entry));
    expect(matchEntries(after, without)).toEqual({
      kept: [{ taskId: "Stay", entry: without[0], changed: {} }],
      added: [],
      gone: [],
    });
    expect(matchEntries(after, entries)).toEqual({
      kept: [
        { taskId: "Sign in", entry: entries[0], changed: {}, revived: true },
        { taskId: "Sign out", entry: entries[1], changed: {}, revived: true },
        { taskId: "Stay", entry: entries[2], changed: {} },
      ],
      added: [],
      gone: [],
    });
  });
});

const texts = textOfLines([
  "# A",
  "## B",
  "## B one",
  "- [ ] Sign in",
  "- [x] Sign in",
  "- [ ] Sign in now",
  "- [ ] T001 Sign out",
  "- [ ] 1.1 Sign up",
  "- [ ] 1.2 Sign up",
  "  - [ ] Write tests",
  "  - [ ] Write the tests",
]);

describe("P-51 for any two readings", () => {
  test("every known task and every entry is accounted for exactly once", () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const known = knownFrom(implementationPlan.read(before).entries, (at) => `t-${at}`);
        const { entries } = implementationPlan.read(after);
        const { kept, added, gone } = matchEntries(known, entries);
        expect([...kept.map(({ taskId }) => taskId), ...gone].sort()).toEqual(known.map(({ taskId }) => taskId).sort());
        const keys = [...kept.map(({ entry }) => entry.key), ...added.map(({ key }) => key)];
        expect(keys.sort()).toEqual(entries.map(({ key }) => key).sort());
      }),
      { numRuns: 500 },
    );
  });

  test("the same text again changes nothing", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { entries } = implementationPlan.read(text);
        const known = knownFrom(entries, (at) => `t-${at}`);
        const kept = entries.map((entry, at) => ({ taskId: `t-${at}`, entry, changed: {} }));
        expect(matchEntries(known, entries)).toEqual({ kept, added: [], gone: [] });
      }),
    );
  });
});

/** A plan of which we know who is who: a number stands for a piece of work or a heading. */
interface Model {
  readonly title: string;
  readonly headings: readonly { readonly uid: number; readonly edit: number; readonly tasks: readonly ModelTask[] }[];
}

interface ModelTask {
  readonly uid: number;
  /** Where a letter was slipped in; 0 for none. */
  readonly edit: number;
  readonly mark: string;
  readonly note: boolean;
}

/** Thirty letters or so that resemble those of no other number. */
function nameOf(uid: number, edit: number): string {
  let state = (uid + 1) * 2_654_435_761;
  const letters = Array.from({ length: 30 }, (_, at) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return at % 6 === 5 ? " " : String.fromCodePoint(97 + ((state >>> 16) % 26));
  });
  if (edit > 0) letters.splice(edit % letters.length, 0, "q");
  return letters.join("").trim();
}

const render = ({ title, headings }: Model, style: { bullet: string; ending: string }): string =>
  [
    ...(title ? [`# ${title}`, ""] : []),
    ...headings.flatMap(({ uid, edit, tasks }) => [
      `## ${nameOf(uid, edit)}`,
      ...tasks.flatMap((task) => [
        `${style.bullet} [${task.mark}] ${nameOf(task.uid, task.edit)}`,
        ...(task.note ? ["    a note"] : []),
      ]),
      "",
    ]),
  ].join(style.ending);

const style = fc.record({ bullet: fc.constantFrom("-", "*", "1."), ending: fc.constantFrom("\n", "\r\n") });
const task = (uid: number): fc.Arbitrary<ModelTask> =>
  fc.record({ uid: fc.constant(uid), edit: fc.nat(40), mark: fc.constantFrom(" ", "x", ">"), note: fc.boolean() });

/** Some of the old work in any order and with small edits, and some new work, under the heading it was under. */
const regenerated = (from: number): fc.Arbitrary<Model> =>
  fc.record({
    title: fc.constantFrom("Plan", "Another title altogether", ""),
    headings: fc.shuffledSubarray([0, 1, 2], { minLength: 2 }).chain((uids) =>
      fc.tuple(
        ...uids.map((uid) =>
          fc.record({
            uid: fc.constant(1000 + uid),
            edit: fc.nat(40),
            tasks: fc
              .shuffledSubarray([...Array.from({ length: 8 }, (_, at) => uid * 8 + at), from + uid], { minLength: 1 })
              .chain((all) => fc.tuple(...all.map(task))),
          }),
        ),
      ),
    ),
  });

test("P-51 random edits, reorderings, renamed headings and regenerations keep identities", () => {
  fc.assert(
    fc.property(regenerated(100), regenerated(200), style, style, (before, after, ...[first, second]) => {
      const uidsOf = ({ title, headings }: Model): number[] => [
        ...(title ? [-1] : []),
        ...headings.flatMap(({ uid, tasks }) => [uid, ...tasks.map((one) => one.uid)]),
      ];
      const uids = uidsOf(before);
      const known = knownFrom(implementationPlan.read(render(before, first)).entries, (at) => String(uids[at]));
      const { entries } = implementationPlan.read(render(after, second));
      const now = uidsOf(after);
      const { kept, added, gone } = matchEntries(known, entries);
      const place = new Map(entries.map(({ key }, at) => [key, now[at]!]));
      expect(kept.map(({ taskId, entry }) => [taskId, String(place.get(entry.key))])).toEqual(
        now.filter((uid) => uids.includes(uid)).map((uid) => [String(uid), String(uid)]),
      );
      expect(added.map(({ key }) => place.get(key))).toEqual(now.filter((uid) => !uids.includes(uid)));
      expect(gone).toEqual(uids.filter((uid) => !now.includes(uid)).map(String));
    }),
    { numRuns: 300 },
  );
});
