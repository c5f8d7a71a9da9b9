import { expect, test } from "vitest";
import { loopWorkspace } from "../loop-workspace.ts";
import { claimsOf, eventsOf, notesOf, seen, verdictsOf } from "../run-seen.ts";

/** So that one run can hear many things, one after the other. */
const PATIENT = `
gates:
  - { id: test, run: test -f done.txt }
limits: { attempts: 50, noProgress: 50, iterationsPerTask: 50 }
`;
const SIGIL = "<task-done>{task}</task-done>";
const DONE = [{ write: { path: "done.txt", text: "yes\n" } }, { say: `It is there.\n\n${SIGIL}` }];

/** Sessions that say what is no claim; each name is why. */
const NO_CLAIMS: Readonly<Record<string, readonly object[]>> = {
  "an echo of the whole prompt": [{ say: "{prompt}" }],
  "a negation": [{ say: `I will not output ${SIGIL} yet` }],
  "the middle of a sentence": [{ say: `Then ${SIGIL} would be next.` }],
  "a code fence": [{ say: `What I would say:\n\n\`\`\`\n${SIGIL}\n\`\`\`\n` }],
  "inline code": [{ say: `\`${SIGIL}\`` }],
  "a block quote": [{ say: `> ${SIGIL}` }],
  "a tool call and its result": [
    { tool: { name: "cat", input: SIGIL } },
    { toolResult: { ok: true, output: SIGIL } },
    { say: "I have read it." },
  ],
  "the output of a command": [{ run: 'echo "<task-done>$RALPHCTL_TASK</task-done>"' }, { say: "I have seen it." }],
  thinking: [{ think: SIGIL }, { say: "I have thought about it." }],
  "standard error": [{ stderr: `${SIGIL}\n` }, { say: "I have complained." }],
  "words before the last action": [{ say: SIGIL }, { run: "true" }, { say: "That was too early." }],
  "two messages": [{ say: "<task-done>{task}" }, { say: "</task-done>" }],
};
const NAMES = Object.keys(NO_CLAIMS);

test.concurrent("P-10 P-11 what only looks like a claim is none, and the agent is told what did not count", async () => {
  const place = await loopWorkspace({ script: JSON.stringify([...Object.values(NO_CLAIMS), DONE]), config: PATIENT });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: [...NAMES.map(() => "idle"), "verified"],
    states: { "Do it": "done" },
    commits: ["Do it"],
  });
  expect(claimsOf(run)).toEqual([`${NAMES.length + 1} done message`]);
  const quoted = `Ignored \`<task-done>${place.ids[0]}</task-done>\`: a sigil must `;
  const told = NAMES.filter((_name, index) => run.prompt(index + 2).includes(`- ${quoted}`));
  expect(told).toEqual(["a negation", "the middle of a sentence", "a code fence", "inline code", "a block quote"]);
  expect(notesOf(run).flatMap(([iteration, note]) => (note.startsWith(quoted) ? [NAMES[iteration - 1]] : []))).toEqual(
    told,
  );
  // The first was an echo of all that the agent was given, with every sigil of it.
  expect(notesOf(run)[0]).toEqual([1, expect.stringContaining("`<promise>COMPLETE</promise>`")]);
});

/** Messages that are claims, however they are written. */
const CLAIMS = [
  `**${SIGIL}**`,
  `- ${SIGIL}.`,
  `All tests pass. ${SIGIL}`,
  `I fixed the "429 rate limit" error: usage limit reached, please retry.\r\n${SIGIL}\r\n`,
  `> I did not say ${SIGIL} before\n\nNow I do.\n${SIGIL}`,
  "<promise>COMPLETE</promise>",
  `<task-done>t-other</task-done>\n${SIGIL}`,
];

test.concurrent("P-11 P-12 P-43 a claim counts as people write it, and words about a limit are no limit", async () => {
  const place = await loopWorkspace({
    script: JSON.stringify(CLAIMS.map((say, index) => [{ write: { path: "done.txt", text: `${index}\n` } }, { say }])),
    tasks: CLAIMS.map((_say, index) => `Task ${index + 1}`),
  });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: CLAIMS.map(() => "verified"),
    states: Object.fromEntries(CLAIMS.map((_say, index) => [`Task ${index + 1}`, "done"])),
    commits: CLAIMS.map((_say, index) => `Task ${index + 1}`),
  });
  expect(eventsOf(run, "run.waiting")).toEqual([]);
  expect(claimsOf(run)).toEqual(CLAIMS.map((_say, index) => `${index + 1} done message`));
});

test.concurrent("D-05 P-13 another task cannot be claimed, and the agent is told so", async () => {
  const place = await loopWorkspace({
    tasks: ["First", "Second"],
    script: ([, second]) =>
      JSON.stringify([
        [{ write: { path: "done.txt", text: "yes\n" } }, { say: `<task-done>${second}</task-done>` }],
        [{ say: SIGIL }],
        [{ append: { path: "done.txt", text: "again\n" } }, { say: SIGIL }],
      ]),
  });
  const [first, second] = place.ids;
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["unfinished", "verified", "verified"],
    states: { First: "done", Second: "done" },
    commits: ["First", "Second"],
  });
  const note = `Ignored \`<task-done>${second}</task-done>\`: it is not the assigned task, ${first}.`;
  expect(notesOf(run)).toEqual([[1, note]]);
  expect([1, 2, 3].map((n) => run.prompt(n).includes(`## Protocol notes`))).toEqual([false, true, false]);
  expect(run.prompt(2)).toContain(`- ${note}\n`);
  expect(claimsOf(run)).toEqual(["2 done message", "3 done message"]);
});

test.concurrent("D-06 done and failed together is a claim, and the gates decide", async () => {
  const both = `<task-failed>{task}</task-failed>\n\n${SIGIL}\n\n<task-failed>{task}</task-failed>`;
  const place = await loopWorkspace({
    script: JSON.stringify([[{ say: both }], [{ write: { path: "done.txt", text: "yes\n" } }, { say: both }]]),
  });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["rejected", "verified"],
    states: { "Do it": "done" },
    commits: ["Do it"],
  });
  expect(claimsOf(run)).toEqual(["1 done message", "2 done message"]);
});

/** Two kinds in one message, in either order, and the one that counts. */
const PAIRS = [
  [`${SIGIL}\n<promise>FAILURE</promise>`, "failure", "failure"],
  [`<promise>FAILURE</promise>\n${SIGIL}`, "failure", "failure"],
  ["<task-failed>{task}</task-failed>\n<promise>FAILURE</promise>", "failure", "failure"],
  [`<task-failed>{task}</task-failed>\n${SIGIL}`, "done", "verified"],
  ["<promise>COMPLETE</promise>\n<task-failed>{task}</task-failed>", "failed", "gave-up"],
  ["<task-failed>{task}</task-failed>\n<promise>COMPLETE</promise>", "failed", "gave-up"],
] as const;

test.concurrent("P-11 P-12 between kinds: FAILURE, then done, then failed, then promise, whatever comes first", async () => {
  const place = await loopWorkspace({
    tasks: PAIRS.map((_pair, index) => `Task ${index}`),
    script: JSON.stringify(
      PAIRS.map(([say], index) => ({
        when: { title: `Task ${index}` },
        steps: [{ write: { path: "done.txt", text: `${index}\n` } }, { say }],
      })),
    ),
  });
  const heard: unknown[] = [];
  for (const id of place.ids) {
    const run = await place.run("--task", id, "--max-iterations", "1");
    heard.push([claimsOf(run), run.outcomes]);
  }
  expect(heard).toEqual(PAIRS.map(([, claim, outcome]) => [[`1 ${claim} message`], [outcome]]));
});

test.concurrent("P-11 two lines that stand together in the prompt are an echo; one of them alone is not", async () => {
  const place = await loopWorkspace({
    tasks: [],
    config: PATIENT,
    script: JSON.stringify([
      [{ say: "I was told:\n\nSay this when it is there:\n<promise>COMPLETE</promise>\n" }],
      [{ write: { path: "done.txt", text: "yes\n" } }, { say: "It is there.\n\n<promise>COMPLETE</promise>" }],
    ]),
  });
  await place.task("add", "Do it", "--description", "Say this when it is there:\n<promise>COMPLETE</promise>");
  const run = await place.run();
  expect([await seen(place, run), claimsOf(run)]).toEqual([
    { code: 0, outcomes: ["idle", "verified"], states: { "Do it": "done" }, commits: ["Do it"] },
    ["2 done message"],
  ]);
  expect(run.prompt(2)).toMatch(/- Ignored `<promise>COMPLETE<\/promise>`: a sigil must /);
});

test.concurrent("P-12 a promise with open tasks is noted and told, and costs nothing", async () => {
  const place = await loopWorkspace({
    tasks: ["First", "Second"],
    script: JSON.stringify([
      [{ write: { path: "done.txt", text: "1\n" } }, { say: `${SIGIL}\n<promise>COMPLETE</promise>` }],
      [{ write: { path: "done.txt", text: "2\n" } }, { say: `${SIGIL}\n<promise>COMPLETE</promise>` }],
    ]),
  });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["verified", "verified"],
    states: { First: "done", Second: "done" },
    commits: ["First", "Second"],
  });
  const note = "You promised that everything is complete, but there are tasks left that are not done.";
  expect(notesOf(run)).toEqual([[1, note]]);
  expect(run.prompt(2)).toContain(`- ${note}\n`);
  expect(eventsOf(run, "iteration.finished").map(({ counted }) => counted)).toEqual([false, false]);
});

test.concurrent("D-07 S001-R9 X-1 a promise does not make up for a task that failed", async () => {
  const place = await loopWorkspace({
    tasks: [],
    script: `
- when: { title: Hopeless }
  steps: [{ say: "The service is gone.\\n\\n<task-failed>{task}</task-failed>" }]
- - write: { path: done.txt, text: "yes\\n" }
  - say: "<task-done>{task}</task-done>\\n<promise>COMPLETE</promise>"
`,
  });
  await place.ralphctl("task", "add", "Hopeless", "--attempts", "1", "--priority", "1");
  await place.ralphctl("task", "add", "Easy");
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 1,
    outcomes: ["gave-up", "verified"],
    states: { Hopeless: "failed", Easy: "done" },
    commits: ["Easy"],
  });
  expect(notesOf(run)).toEqual([
    [2, "You promised that everything is complete, but there are tasks left that are not done."],
  ]);
  expect(run.finished).toMatchObject({
    ending: "failure",
    reason: "All tasks are settled, and some failed",
    failed: [{ title: "Hopeless", reason: "The service is gone." }],
  });
});

test.concurrent("P-22 S002-09 a claim before the first iteration that may end the run is deferred and told", async () => {
  const place = await loopWorkspace({
    script: `
- - write: { path: done.txt, text: "{iteration}\\n" }
  - say: <promise>COMPLETE</promise>
`,
  });
  const run = await place.run("--min-iterations", "3");
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["deferred", "deferred", "verified"],
    states: { "Do it": "done" },
    commits: ["Do it"],
  });
  const note = (n: number): string =>
    `The claim in iteration ${n} was deferred: the run goes on until iteration 3. Look for further improvements, then claim again.`;
  expect(verdictsOf(run)).toEqual([
    `1 deferred: ${note(1)}`,
    `2 deferred: ${note(2)}`,
    "3 accepted: proven: test failed before the work",
  ]);
  // Before the first iteration there is the baseline, which has no number.
  expect(eventsOf(run, "gate.started").map(({ iteration }) => iteration)).toEqual([undefined, 3]);
  expect(eventsOf(run, "iteration.started").map(({ attempts }) => attempts)).toEqual([0, 0, 0]);
  expect([1, 2, 3].map((n) => run.prompt(n).includes(`- ${note(n - 1)}\n`))).toEqual([false, true, true]);
});

test.concurrent("P-22 with other tasks open, an early claim is verified as any other", async () => {
  const place = await loopWorkspace({
    tasks: ["First", "Second"],
    script: `
- - write: { path: done.txt, text: "{iteration}\\n" }
  - say: <task-done>{task}</task-done>
`,
  });
  const run = await place.run("--min-iterations", "3");
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["verified", "deferred", "verified"],
    states: { First: "done", Second: "done" },
    commits: ["First", "Second"],
  });
});

test.concurrent("P-22 D-07 a task that failed does not keep a run going: the last claim is deferred all the same", async () => {
  const place = await loopWorkspace({
    tasks: [],
    script: `
- when: { title: Hopeless }
  steps: [{ say: "<task-failed>{task}</task-failed>" }]
- - write: { path: done.txt, text: "{iteration}\\n" }
  - say: <task-done>{task}</task-done>
`,
  });
  await place.ralphctl("task", "add", "Hopeless", "--attempts", "1", "--priority", "1");
  await place.ralphctl("task", "add", "Easy");
  const run = await place.run("--min-iterations", "3");
  expect(await seen(place, run)).toEqual({
    code: 1,
    outcomes: ["gave-up", "deferred", "verified"],
    states: { Hopeless: "failed", Easy: "done" },
    commits: ["Easy"],
  });
});
