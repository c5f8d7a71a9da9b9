import { expect, test } from "vitest";
import { DONE, notices, script, seen, sh, type Step, verdicts } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";

const write = (path: string, text: string): Step => ({ write: { path, text } });
/** A runner as pytest is: each file in t/ is a test, and without any it ends with 5. */
const RUNNER = `set -- t/*
[ -e "$1" ] || { echo "no tests ran in 0.01s"; exit 5; }
echo "$# passed in 0.01s"
`;
const QUIET_RUNNER = RUNNER.replace("exit 5", "exit 0");
const config = "gates:\n  - { id: test, run: sh run.sh }\nverify: { tests: free }\nlimits: { attempts: 1 }\n";

test.concurrent("T-20 a gate that ran tests and finds none with the work is not green", async () => {
  const place = await loopWorkspace({
    config,
    files: { "run.sh": QUIET_RUNNER, "t/a": "a\n" },
    script: script([sh("mkdir u && git mv t/a u/a"), write("b.txt", "b\n"), DONE]),
  });
  const run = await place.run();
  expect(verdicts(run)).toEqual([["rejected", "gate test: it ran no tests"]]);
  expect(await seen(place, run)).toMatchObject({ code: 1, outcomes: ["rejected"], commits: [] });
});

test.concurrent("T-20 work in a repository without tests lands as unbroken, with a warning", async () => {
  const place = await loopWorkspace({
    config,
    files: { "run.sh": RUNNER },
    tasks: ["Do it", "Test it"],
    script: script([write("a.txt", "a\n"), DONE], [write("t/a", "a\n"), write("b.txt", "b\n"), DONE]),
  });
  const run = await place.run();
  expect(notices(run)).toContain("No tests yet: gate test found none, so it shows nothing");
  expect(verdicts(run)).toEqual([
    ["accepted", "unbroken: test found no tests"],
    ["accepted", "unbroken: the gates pass, and none of them spoke of this task"],
  ]);
  expect(await seen(place, run)).toMatchObject({ code: 0, outcomes: ["verified", "verified"] });
});
