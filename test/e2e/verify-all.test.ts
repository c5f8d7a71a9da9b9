import { expect, test } from "vitest";
import { decayingWorkspace } from "../decaying-workspace.ts";
import { type } from "../recording-io.ts";
import { inTurns, shown, storedIn, verifyAll, yaml } from "../verify-all.ts";

test("T-30 verify --all names the commit that broke a gate, reopens its task once, and blames nobody for flaky and inherited red", async () => {
  const unit = { id: "unit", run: "! grep -q bad unit.txt" };
  const old = { id: "old", run: "test -f never.txt" };
  const flaky = { id: "flaky", run: inTurns("10") };
  const place = await decayingWorkspace(
    [
      { subject: "Begin", files: { "unit.txt": "good\n", "a.txt": "good\n" } },
      { subject: "First", task: "grep -q good a.txt" },
      { subject: "Note" },
      { subject: "Second", task: "", files: { "a.txt": "bad\n" } },
      { subject: "More notes" },
      { subject: "Third", task: "test -f unit.txt" },
      { subject: "Spoil", files: { "unit.txt": "bad\n" }, trailer: "Ralph-Task: {Third}" },
      { subject: "Last notes" },
    ],
    { config: yaml([unit, old, flaky]), gates: [unit] },
  );
  const expected = [
    ["unit", null, "broken", "Spoil", null, "proposed"],
    ["old", null, "inherited", "Begin", null, "none"],
    ["flaky", null, "flaky", "Last notes", null, "none"],
    ["own", "First", "broken", "Second", "Second", "reopened"],
  ];
  const first = await verifyAll(place);
  expect([first.code, first.report.verdict, first.found]).toEqual([1, "broken", expected]);
  const [proposal] = first.report.findings.map((one) => one.proposal);
  expect(proposal).toBe(`ralphctl task add 'Mend the gate unit, which ${place.commit("Spoil").slice(0, 10)} broke'`);
  expect(await place.states()).toEqual({ First: "done", Second: "pending", Third: "done" });
  const [second] = await shown(place, "Second");
  expect([second?.gates, second?.reason]).toEqual([
    [{ id: `${place.idOf("First")}.own`, run: "grep -q good a.txt", timeoutMs: 600_000, retries: 0 }],
    expect.stringMatching(
      /^The work of this task broke .*\n- Gate own of t-\w+ \(First\), by commit [0-9a-f]{10}\n[^]*grep -q good a\.txt/,
    ),
  ]);

  const before = await storedIn(place);
  const again = await verifyAll(place, "--since", "HEAD");
  expect([again.code, again.found]).toEqual([
    1,
    [
      ["unit", null, "inherited", "Last notes", null, "none"],
      ["old", null, "inherited", "Last notes", null, "none"],
      ["flaky", null, "flaky", "Last notes", null, "none"],
      ["own", "First", "known", "Second", "Second", "open"],
    ],
  ]);
  expect(await storedIn(place)).toEqual(before);
});

test("T-30 X-64 P-40 verify --all refuses what it cannot mean, shows where it is, and changes nothing if it is stopped", async () => {
  const place = await decayingWorkspace(
    [
      { subject: "First", task: "grep -q good a.txt", files: { "a.txt": "good\n" } },
      { subject: "Second", task: "", files: { "a.txt": "bad\n" } },
    ],
    { config: yaml([{ id: "unit", run: "true" }]), gates: [] },
  );
  for (const [words, said] of [
    [["--all", place.idOf("First")], "--all checks every task that is done"],
    [["--since", "HEAD"], "--since needs --all"],
    [["--all", "--since", "nope"], 'Git knows no commit "nope"'],
  ] as const) {
    expect(await place.ralphctl("verify", ...words)).toMatchObject({ code: 64, stderr: expect.stringContaining(said) });
  }
  const before = await storedIn(place);
  const stop = new AbortController();
  const progress: string[] = [];
  const seen = {
    push: (text: string) => {
      if (text.startsWith("Searching")) stop.abort();
      return progress.push(text);
    },
  };
  const session = { cwd: place.folder, interrupts: { stop: stop.signal, kill: new AbortController().signal } };
  const stopped = await type(["verify", "--all"], { ...session, progress: seen as unknown as string[] });
  expect([stopped.code, stopped.stdout.split("\n").at(-2), await storedIn(place)]).toEqual([
    130,
    expect.stringMatching(/^Undecided: interrupted, and nothing was changed · 2 tasks done · on commit [0-9a-f]{10}$/),
    before,
  ]);
  expect(progress).toEqual([
    "Checking 1 of 2: Gate unit …",
    `Checking 2 of 2: Gate own of ${place.idOf("First")} (First) …`,
    expect.stringMatching(/^Searching since when it fails: Gate own of t-\w+ \(First\) on [0-9a-f]{10} …$/),
    "",
  ]);
});
