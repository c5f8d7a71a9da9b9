import { describe, expect, test } from "vitest";
import { DONE, script, seen, sh, verdicts } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";

const REJECTED = { code: 1, outcomes: ["rejected"], states: { "Do it": "failed" }, commits: [] };

describe.concurrent("L-21 T-01 nothing but the tree makes gates green", () => {
  test("L-21 T-01 a program that an agent puts on the PATH of gates is gone before they run", async () => {
    const place = await loopWorkspace({
      config: "gates: [{ id: test, run: grep -q proven done.txt }]\nlimits: { attempts: 1 }\n",
      script: script([
        sh("echo work > done.txt; printf '#!/bin/sh\\nexit 0\\n' > ../bin/grep; chmod +x ../bin/grep; ../bin/grep"),
        DONE,
      ]),
    });
    expect(await seen(place, await place.run())).toEqual(REJECTED);
  });

  test("L-21 T-01 the product of a rejected set-up does not make the next attempt green", async () => {
    const place = await loopWorkspace({
      config:
        "gates: [{ id: test, run: test -f gen/data && test -f want }]\nlanes: { setup: sh setup.sh }\nlimits: { attempts: 2 }\n",
      files: { "setup.sh": "mkdir -p node_modules\n", ".gitignore": "node_modules/\ngen/\n" },
      script: script(
        [sh("echo 'mkdir -p node_modules gen; touch gen/data' > setup.sh"), DONE],
        [sh("echo 'mkdir -p node_modules' > setup.sh; touch want"), DONE],
      ),
    });
    expect(await seen(place, await place.run())).toMatchObject({ outcomes: ["rejected", "rejected"], commits: [] });
  });

  test("L-21 T-01 a tree that git cannot check out is a rejection that names the files, and the run goes on", async () => {
    const place = await loopWorkspace({
      config: "gates: [{ id: test, run: test -f m.txt }]\nlimits: { attempts: 2 }\n",
      script: script(
        [sh("echo '*.txt filter=lossy' > .gitattributes; echo a > m.txt"), DONE],
        [sh("rm .gitattributes; echo a > m.txt"), DONE],
      ),
    });
    place.git("config", "filter.lossy.clean", "tr a-z A-Z");
    place.git("config", "filter.lossy.smudge", "sed s/^/x/");
    const run = await place.run();
    expect(await seen(place, run)).toMatchObject({ code: 0, outcomes: ["rejected", "verified"] });
    expect(verdicts(run)[0]).toEqual(["rejected", "gate room: exit code 1"]);
    expect(place.read(`.ralph/runs/${run.name}/1/gates/room.log`)).toContain(
      "A checkout differs from its tree: m.txt\n",
    );
    expect(place.git("show", "main:m.txt")).toBe("a");
  });

  test("L-21 T-01 temporary files of an earlier proof are gone", async () => {
    const gate = "case $RALPHCTL_LANE in room) test -f $TMPDIR/mark && exit 0; touch $TMPDIR/mark;; esac; exit 1";
    const place = await loopWorkspace({
      config: `gates: [{ id: test, run: "${gate}" }]\nlimits: { attempts: 2 }\n`,
      script: script([sh("echo work >> done.txt"), DONE], [sh("echo work >> done.txt"), DONE]),
    });
    expect(await seen(place, await place.run())).toMatchObject({ outcomes: ["rejected", "rejected"], commits: [] });
  });
});
