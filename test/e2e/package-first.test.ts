import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DONE, eventsOf, notices, runWith, script, seen, sh, verdicts } from "../hostile-run.ts";
import { isFull } from "../lane.ts";
import { loopWorkspace, type LoopRun } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A `go` whose tests fail beside a file `broken`, and, in a package alone, beside a file `alone`. */
const GO = `#!/bin/sh
[ -z "$(find . -name broken)" ] && [ ! -e alone ]
`;
const bin = temporaryFolder({ go: GO });
chmodSync(join(bin, "go"), 0o755);
const env = { PATH: `${bin}:${process.env["PATH"]}` };
const FILES = {
  "go.work": "go 1.22\nuse ./projects/a\nuse ./b\n",
  "projects/a/go.mod": "module a\n",
  "b/go.mod": "module b\n",
};
const once = "limits: { attempts: 2 }\nlanes: { setup: none }\n";

const gatesOf = (run: LoopRun): string[] =>
  eventsOf(run, "gate.started").flatMap(({ iteration, gate }) =>
    iteration === undefined ? [] : `${iteration} ${gate}`,
  );

test("P-16 the gates of the one package that a claim changes run first, and then all", async () => {
  const place = await loopWorkspace({
    config: `verify: { packageFirst: on }\n${once}`,
    files: FILES,
    script: script([sh("echo > b/broken"), DONE], [sh("rm b/broken; echo > b/good"), DONE]),
  });
  const run = await runWith(place, { env });
  expect(verdicts(run)[0]).toEqual(["rejected", "gate b.go-test: exit code 1"]);
  expect(gatesOf(run)).toEqual(["1 b.go-test", "2 b.go-test", "2 go-test"]);
  expect(await seen(place, run)).toMatchObject({ code: 0, outcomes: ["rejected", "verified"] });
});

test.runIf(isFull)(
  "P-16 a package's gate that fails without the work as well rejects nothing; a project asks by itself",
  async () => {
    const place = await loopWorkspace({
      config: once,
      files: { ...FILES, "projects/a/alone": "" },
      tasks: [],
      script: script([sh("echo > projects/a/good; echo > README.md"), DONE]),
    });
    const added = await place.task("add", "Do it", "--project", "a");
    const shown = await place.ralphctl("gates", added.stdout.trim());
    expect(shown.stdout).toContain("projects-a.go-test: cd projects/a && go test ./...");
    const run = await runWith(place, { env, args: ["--project", "a"] });
    expect(gatesOf(run)).toEqual(["1 projects-a.go-test", "1 go-test"]);
    expect(notices(run)).toContain("Gate projects-a.go-test fails without the work as well, so all gates decide");
    expect(await seen(place, run)).toMatchObject({ code: 0, outcomes: ["verified"] });
  },
);
