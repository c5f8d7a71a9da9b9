import { expect, test } from "vitest";
import { DONE, eventsOf, script, seen, type Step, WORK } from "../hostile-run.ts";
import { type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";

const write = (path: string, text = ""): Step => ({ write: { path, text } });

/** The attempts at a task as the store has them. */
async function attempts(place: LoopWorkspace, id = place.ids[0]!) {
  const { stdout } = await place.ralphctl("task", "show", id, "--json");
  const { attemptLog } = JSON.parse(stdout) as {
    attemptLog: {
      outcome: string;
      counted: boolean;
      verdict: { tree: string; commit: string; evidence: { proof: string; gates: unknown[] } } | null;
      details: { evidence?: unknown[] };
    }[];
  };
  return attemptLog;
}

interface GateEvidence {
  readonly gate: string;
  readonly runs: readonly { readonly outputFile: string }[];
}

test.concurrent("P-15 L-21 T-04 S002-09 each attempt leaves its evidence in the store and in result.json: command, tree, commit, every run, output", async () => {
  // The second gate fails twice in each attempt before it looks. It counts in a file that the next proof does not find.
  const flaky = "echo x >> .ralph/n.tmp; echo try $(wc -l < .ralph/n.tmp); test $(($(wc -l < .ralph/n.tmp) % 3)) = 0";
  const place = await loopWorkspace({
    config: `gates: ${JSON.stringify([
      { id: "test", run: "echo looking; test -f done.txt" },
      { id: "flaky", run: `test -n "$RALPHCTL_ITERATION" || exit 0; ${flaky}`, retries: 2 },
    ])}\n`,
    script: script([write("other.txt", "x\n"), DONE], [WORK, DONE]),
  });
  const before = place.git("rev-parse", "HEAD");
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["rejected", "verified"],
    states: { "Do it": "done" },
    commits: ["Do it"],
  });
  const folder = (iteration: number): string => `.ralph/runs/${run.name}/${iteration}`;
  const ended = (code: number, outputFile: string) => ({
    end: { kind: "exit", code },
    durationMs: expect.any(Number) as number,
    outputFile,
  });
  const evidence = (iteration: number, tree: string, code: number) => {
    const definition = expect.stringMatching(/^[0-9a-f]{16}$/) as string;
    const about = { kind: "workspace", tree, commit: before, definition, isAgents: false };
    const file = (name: string): string => `${folder(iteration)}/gates/${name}.log`;
    return [
      {
        gate: "test",
        command: "echo looking; test -f done.txt",
        ...about,
        passed: code === 0,
        runs: [ended(code, file("test"))],
      },
      {
        gate: "flaky",
        command: `test -n "$RALPHCTL_ITERATION" || exit 0; ${flaky}`,
        ...about,
        passed: true,
        runs: [ended(1, file("flaky")), ended(1, file("flaky.2")), ended(0, file("flaky.3"))],
      },
    ];
  };
  const trees = eventsOf(run, "verdict.reached").map(({ tree }) => tree!);
  const [first, second] = await attempts(place);
  expect([first?.verdict, first?.details.evidence]).toEqual([null, evidence(1, trees[0]!, 1)]);
  expect(second?.verdict).toMatchObject({ tree: trees[1], commit: before, evidence: { strength: "proven" } });
  expect([second?.verdict?.evidence.gates, second?.details.evidence]).toEqual([evidence(2, trees[1]!, 0), undefined]);
  // What was proven is what was committed.
  expect(place.git("rev-parse", "HEAD^{tree}")).toBe(trees[1]);
  const results = [1, 2].map((n) => JSON.parse(place.read(`${folder(n)}/result.json`)) as Record<string, unknown>);
  expect(results).toMatchObject([
    { v: 1, iteration: 1, outcome: "rejected", claim: "done", channel: "message", tree: trees[0] },
    { v: 1, iteration: 2, outcome: "verified", claim: "done", channel: "message", tree: trees[1], strength: "proven" },
  ]);
  expect(results.map((result) => result["evidence"])).toEqual([evidence(1, trees[0]!, 1), evidence(2, trees[1]!, 0)]);
  const outputs = (second!.verdict!.evidence.gates as GateEvidence[]).flatMap(({ runs }) => runs);
  expect(outputs.map(({ outputFile }) => place.read(outputFile))).toEqual([
    "looking\n",
    "try 1\n",
    "try 2\n",
    "try 3\n",
  ]);
  expect(place.read(`${folder(1)}/change.patch`)).toContain("+++ b/other.txt");
});

test.concurrent("P-15 the whole output is on disk, its beginning and its end are in the next prompt", async () => {
  const place = await loopWorkspace({
    config: `gates: ${JSON.stringify([
      { id: "test", run: "echo FIRST WORD; seq 1 400000; echo LAST WORD; test -f done.txt" },
    ])}\n`,
    script: script([write("a"), DONE], [WORK, DONE]),
  });
  const run = await place.run();
  expect([run.code, run.outcomes]).toEqual([0, ["rejected", "verified"]]);
  const red = eventsOf(run, "gate.finished").find(({ iteration }) => iteration === 1)!;
  const whole = place.read(red.file);
  const prompt = run.prompt(2);
  expect([whole.startsWith("FIRST WORD\n1\n"), whole.endsWith("\n400000\nLAST WORD\n"), whole.length]).toEqual([
    true,
    true,
    Array.from({ length: 400_000 }, (_, index) => `${index + 1}\n`).join("").length + 21,
  ]);
  expect(prompt).toMatch(/\nGate `test` failed: exit code 1\nCommand: .*\nOutput:\n```\nFIRST WORD\n1\n2\n/);
  expect(prompt).toContain(`\n[… middle omitted, ${whole.length} bytes in total …]\n`);
  expect(prompt).toMatch(/\n400000\nLAST WORD\n```\n/);
  expect(prompt).not.toContain("\n200000\n");
});

test.concurrent("P-19 that nothing has proven it is in the record, too", async () => {
  const place = await loopWorkspace({ config: "gates: []\n", script: script([WORK, DONE]) });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 5,
    outcomes: ["verified"],
    states: { "Do it": "done" },
    commits: ["Do it"],
  });
  const [only] = await attempts(place);
  expect(only?.verdict?.evidence).toMatchObject({ strength: "look", gates: [] });
  expect(JSON.parse(place.read(`.ralph/runs/${run.name}/1/result.json`))).toMatchObject({
    strength: "look",
    evidence: [],
  });
});
