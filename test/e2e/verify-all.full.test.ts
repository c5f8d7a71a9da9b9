import { dirname } from "node:path";
import { expect, test } from "vitest";
import { decayingWorkspace, type Step } from "../decaying-workspace.ts";
import { temporaryFolder, write } from "../temporary-folder.ts";
import { inTurns, storedIn, verifyAll, yaml } from "../verify-all.ts";

const LONG_MS = 300_000;

const unit = { id: "unit", run: "! grep -q stop skip.txt || exit 125; ! grep -q bad unit.txt" };
const old = { id: "old", run: "test -f never.txt" };
const flaky = [
  { id: "flaky", run: inTurns("10") },
  // Red twice on the first commit that is looked at: only blame needs more looks than that.
  { id: "moody", run: inTurns("110") },
];

/** At these places; all others are notes of a person or of a task. */
const PLANTED: Readonly<Record<number, Step>> = {
  0: {
    subject: "Begin",
    files: {
      "skip.txt": "go\n",
      "unit.txt": "good\n",
      "a.txt": "good\n",
      "b.txt": "good\n",
      "c.txt": "good\n",
      "d.txt": "good\n",
    },
  },
  3: { subject: "Write a", task: "grep -q good a.txt" },
  5: { subject: "Write b", task: "grep -q good b.txt" },
  8: { subject: "Write c", task: "grep -q good c.txt" },
  9: { subject: "Write d", task: "grep -q good d.txt" },
  // 1: a task breaks another one's gate.
  20: { subject: "Break a", task: "", files: { "a.txt": "bad\n" } },
  // 2: a person breaks one, and their message names a task that has nothing to do with it.
  33: { subject: "Break b", files: { "b.txt": "bad\n" }, trailer: "Ralph-Task: {Write a}" },
  // 3: a task breaks a gate of the workspace, and commits near it cannot be checked.
  37: { subject: "Stop the gate", files: { "skip.txt": "stop\n" } },
  39: { subject: "Start the gate", files: { "skip.txt": "go\n" } },
  41: { subject: "Break unit", task: "", files: { "unit.txt": "bad\n" } },
  42: { subject: "Stop the gate again", files: { "skip.txt": "stop\n" } },
  49: { subject: "Start the gate again", files: { "skip.txt": "go\n" } },
  // 4: a merge brings a break.
  50: { subject: "Break c", files: { "c.txt": "bad\n" }, isMerged: true },
  // 5: a task breaks one, and the person puts its commit on other work.
  55: { subject: "Break d", task: "", files: { "d.txt": "bad\n" }, isRewritten: true },
};

const history = (length: number): Step[] =>
  Array.from({ length }, (_, index) => {
    const note = { subject: `Note ${index}`, files: { "notes.txt": `${index}\n` } };
    return PLANTED[index] ?? (index % 7 === 4 ? { ...note, task: "" } : note);
  });

test(
  "T-30 in 60 commits with five breaks, two flaky gates and one inherited red, each culprit is the right one",
  async () => {
    const place = await decayingWorkspace(history(60), { config: yaml([unit, old, ...flaky]), gates: [unit] });
    const broken = [
      ["unit", null, "broken", "Break unit", "Break unit", "reopened"],
      ["old", null, "inherited", "Begin", null, "none"],
      ["flaky", null, "flaky", "Note 59", null, "none"],
      ["moody", null, "flaky", expect.any(String), null, "none"],
    ];
    const first = await verifyAll(place);
    expect([first.code, first.found]).toEqual([
      1,
      [
        ...broken,
        ["own", "Write a", "broken", "Break a", "Break a", "reopened"],
        ["own", "Write b", "broken", "Break b", null, "proposed"],
        ["own", "Write c", "broken", "Merge Break c", null, "proposed"],
        ["own", "Write d", "broken", "Break d", "Break d", "reopened"],
      ],
    ]);
    expect(first.report.findings[0]?.skipped.length).toBeGreaterThan(0);
    const before = await storedIn(place);
    const head = place.git("rev-parse", "HEAD");
    const second = await verifyAll(place);
    expect([second.code, second.found.filter(([gate]) => gate === "unit" || gate === "own")]).toEqual([
      1,
      [
        ["unit", null, "known", "Break unit", "Break unit", "open"],
        ["own", "Write a", "known", "Break a", "Break a", "open"],
        ["own", "Write b", "broken", "Break b", null, "proposed"],
        ["own", "Write c", "broken", "Merge Break c", null, "proposed"],
        ["own", "Write d", "known", "Break d", "Break d", "open"],
      ],
    ]);
    expect([await storedIn(place), place.git("rev-parse", "HEAD")]).toEqual([before, head]);
    expect(Object.entries(await place.states()).filter(([, status]) => status !== "done")).toEqual([
      ["Break a", "pending"],
      ["Break unit", "pending"],
      ["Break d", "pending"],
    ]);
  },
  LONG_MS,
);

test("T-30 commits around a break that cannot be checked are all named, and none is blamed", async () => {
  const place = await decayingWorkspace(
    [
      { subject: "Begin", files: { "skip.txt": "go\n", "unit.txt": "good\n" } },
      { subject: "First", task: "" },
      { subject: "Stop", files: { "skip.txt": "stop\n" } },
      { subject: "Break", task: "", files: { "unit.txt": "bad\n" } },
      { subject: "Start", files: { "skip.txt": "go\n" } },
      { subject: "Note" },
    ],
    { config: yaml([unit]), gates: [unit] },
  );
  const { code, found, report } = await verifyAll(place);
  expect([code, found]).toEqual([1, [["unit", null, "one of", null, null, "none"]]]);
  const [one] = report.findings;
  expect([one?.candidates, one?.skipped].map((commits) => commits?.map(({ subject }) => subject))).toEqual([
    ["Stop", "Break", "Start"],
    ["Stop", "Break"],
  ]);
  expect(one?.proposal).toMatch(/^ralphctl task add 'Mend the gate unit, which one of \w{10}, \w{10}, \w{10} broke'$/);
  expect(await place.states()).toEqual({ First: "done", Break: "done" });
});

test("T-30 a gate that came red into the repository is the fault of that commit, and of none before it", async () => {
  const scripts = (test: string): string => JSON.stringify({ scripts: { lint: "true", ...(test !== "" && { test }) } });
  const place = await decayingWorkspace(
    [
      { subject: "Begin", files: { "package.json": scripts("") } },
      { subject: "Note" },
      { subject: "Add a test", files: { "package.json": scripts("exit 1") } },
      { subject: "Another note" },
    ],
    { config: "gates: auto\n", gates: [] },
  );
  const { found } = await verifyAll(place);
  expect(found).toEqual([["test", null, "broken", "Add a test", null, "proposed"]]);
});

test("T-30 set-up that fails, files as they lie, and work on another branch blame nobody", async () => {
  const steps: Step[] = [
    { subject: "First", task: "grep -q good a.txt", files: { "a.txt": "good\n", "setup.sh": "exit 3\n" } },
    { subject: "Second", task: "", files: { "a.txt": "bad\n" } },
  ];
  const unset = await decayingWorkspace(steps, { config: "gates: []\nverify: { setup: sh setup.sh }\n", gates: [] });
  const first = await verifyAll(unset);
  expect([first.code, first.found]).toEqual([1, [["setup", null, "unchecked", null, null, "none"]]]);

  const lying = await decayingWorkspace(steps, { config: "gates: []\nverify: { in: tree }\n", gates: [] });
  const second = await verifyAll(lying);
  expect([second.code, second.found]).toEqual([1, [["own", "First", "not searched", null, null, "none"]]]);
  lying.write({ "a.txt": "good\n" });
  expect(await verifyAll(lying)).toMatchObject({ code: 0, found: [] });

  const away = await decayingWorkspace(steps, { config: yaml([{ id: "all", run: "true" }]), gates: [] });
  away.git("checkout", "--quiet", "-b", "other", "HEAD~2");
  const third = await verifyAll(away);
  expect([third.code, third.found, third.report.elsewhere]).toEqual([0, [], [away.idOf("First")]]);
  for (const place of [unset, lying, away]) expect(await place.states()).toEqual({ First: "done", Second: "done" });
});

test("T-30 a gate that fails where it passed before blames its surroundings", async () => {
  const file = `${temporaryFolder()}/there`;
  const gate = { id: "unit", run: `test ! -e ${file}` };
  const place = await decayingWorkspace(
    [{ subject: "First", task: "" }, { subject: "Note" }, { subject: "Second", task: "" }, { subject: "More" }],
    { config: yaml([gate]), gates: [gate] },
  );
  expect(await verifyAll(place)).toMatchObject({ code: 0, found: [] });
  write(dirname(file), { there: "" });
  expect((await verifyAll(place)).found).toEqual([["unit", null, "surroundings", "More", null, "none"]]);
});
