import { expect, test } from "vitest";
import { loopWorkspace } from "../loop-workspace.ts";

// T-24: one task of words or of a prompt file is the whole run.

/** Works for some sessions without a claim, and commits in each. */
const SLOW = `
  - when: { iteration: 5 }
    steps:
      - write: { path: done.txt, text: done }
      - say: "<promise>COMPLETE</promise>"
  - steps:
      - append: { path: work.txt, text: "more {iteration}\\n" }
      - commit: Work more
      - say: Not there yet.
`;

test.concurrent("T-24 S002-04 without a limit of the run, words and a prompt file are worked on until they are done", async () => {
  const config = "gates:\n  - { id: test, run: test -f done.txt }\nlimits: { iterationsPerTask: 2 }\n";
  const words = await loopWorkspace({ tasks: [], config, script: SLOW });
  const run = await words.run("Do all of it", "--max-iterations", "unlimited");
  expect([run.code, run.outcomes, run.events.find(({ type }) => type === "run.started")]).toMatchObject([
    0,
    ["unfinished", "unfinished", "unfinished", "unfinished", "verified"],
    { limits: { iterations: 0 } },
  ]);
  expect(run.prompt(3)).toContain("## Current Iteration: 3 (unlimited) (min: 1)");
  const prompt = await loopWorkspace({ tasks: [], config, script: SLOW, files: { "PROMPT_build.md": "Port it.\n" } });
  expect((await prompt.run("--max-iterations", "0")).outcomes).toEqual(run.outcomes);
});

test.concurrent("T-24 at the limit of a run its work stays, and the summary has the command that brings it over", async () => {
  const place = await loopWorkspace({ tasks: [], script: SLOW });
  const run = await place.ralphctl("run", "Do all of it", "--max-iterations", "2", "--plain");
  const [, id = ""] = /take it: ralphctl lanes take (t-[0-9a-f]+)/.exec(`${run.stdout}${run.stderr}`) ?? [];
  expect([run.code, Object.values(await place.states())]).toEqual([4, ["pending"]]);
  // The commits of the sessions are in the history of the work.
  expect(place.git("log", "--format=%s", `refs/ralph/work/${id}`)).toContain("Work more");
  expect((await place.ralphctl("lanes", "take", id)).code).toBe(0);
  expect(place.read("work.txt")).toBe("more 1\nmore 2\n");
});

test.concurrent("T-24 the next run goes on with the same work", async () => {
  const place = await loopWorkspace({ tasks: [], script: SLOW });
  await place.run("Do all of it", "--max-iterations", "2");
  const next = await place.run("--max-iterations", "0");
  expect([next.code, place.read("work.txt")]).toEqual([0, "more 1\nmore 2\nmore 1\nmore 2\nmore 3\nmore 4\n"]);
});

test.concurrent("T-24 a task of many still fails after limits.iterationsPerTask, and its work can be taken over", async () => {
  const config = "gates:\n  - { id: test, run: test -f done.txt }\nlimits: { iterationsPerTask: 2 }\n";
  const place = await loopWorkspace({ config, script: SLOW });
  const run = await place.run("--max-iterations", "0");
  expect([run.code, await place.states()]).toEqual([1, { "Do it": "failed" }]);
  expect((await place.ralphctl("lanes", "take", place.ids[0]!)).code).toBe(0);
  expect(place.read("work.txt")).toBe("more 1\nmore 2\n");
});
