import { describe, expect, test } from "vitest";
import { DONE, eventsOf, notices, script, seen, sh, type Step, verdicts, WORK } from "../hostile-run.ts";
import { type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";

const write = (path: string, text: string): Step => ({ write: { path, text } });
const packageJson = (scripts: Record<string, string>): string => JSON.stringify({ name: "x", scripts });

describe.concurrent("P-16 gates that a session edits", () => {
  test("P-16 X-5 a gate that first appears counts from the next claim on, and proves nothing by itself", async () => {
    const place = await loopWorkspace({
      config: "gates: auto\n",
      tasks: ["One", "Two"],
      script: script([write("package.json", packageJson({ test: "exit 0" })), DONE], [WORK, DONE]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 5,
      outcomes: ["verified", "verified"],
      states: { One: "done", Two: "done" },
      commits: ["One", "Two"],
    });
    expect(verdicts(run)).toEqual([
      ["accepted", "look: no check has run"],
      ["accepted", "look: only checks that an agent wrote have passed", "written by the agent: test"],
    ]);
    expect(eventsOf(run, "gate.finished").map(({ iteration, gate, passed }) => [iteration, gate, passed])).toEqual([
      [2, "test", true],
    ]);
    expect(notices(run)).toContain("The agent wrote the gates test: they count from the next claim on");
    expect([run.finished?.verified, run.finished?.unverified]).toEqual([0, 2]);
  });

  test("P-16 a gate of the agent's that is red holds up the next claim", async () => {
    const place = await loopWorkspace({
      config: "gates: auto\nlimits: { attempts: 1 }\n",
      tasks: ["One", "Two"],
      script: script([write("package.json", packageJson({ test: "test -f done.txt" })), DONE], [write("x", ""), DONE]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 1,
      outcomes: ["verified", "rejected"],
      states: { One: "done", Two: "failed" },
      commits: ["One"],
    });
  });

  test("P-16 beside a gate that was there, the agent's own do not make a run unverified", async () => {
    const place = await loopWorkspace({
      config: "gates: auto\n",
      tasks: ["One", "Two"],
      files: { Makefile: "check:\n\ttrue\n" },
      script: script([write("package.json", packageJson({ test: "exit 0" })), DONE], [WORK, DONE]),
    });
    const run = await place.run();
    expect([run.code, verdicts(run)]).toEqual([
      0,
      [
        ["accepted", "unbroken: the gates pass, and none of them spoke of this task"],
        ["accepted", "unbroken: the gates pass, and none of them spoke of this task", "written by the agent: test"],
      ],
    ]);
  });
});

/** The way out, for the person who reads the reason. */
const allow = ({ ids }: LoopWorkspace): string => `. To allow it: ralphctl task allow ${ids[0]}`;

describe.concurrent("P-17 protected files", () => {
  test("P-17 a session that edits the configuration is rejected, and the gates of the run's start decide", async () => {
    const place = await loopWorkspace({
      script: script(
        [sh("sed -i 's/test -f done.txt/true/' .ralph/config.yaml"), WORK, DONE],
        [sh("git checkout .ralph/config.yaml"), DONE],
      ),
    });
    const before = place.read(".ralph/config.yaml");
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["rejected", "verified"],
      states: { "Do it": "done" },
      commits: ["Do it"],
    });
    expect(verdicts(run)[0]).toEqual([
      "rejected",
      `the agent changed protected files: .ralph/config.yaml${allow(place)}`,
    ]);
    expect(run.prompt(2)).toContain(
      "These protected files were changed or deleted. Restore them:\n- .ralph/config.yaml\nIf the task cannot be done without that change, say so: a person can allow it.",
    );
    expect(place.read(".ralph/config.yaml")).toBe(before);
  });

  test("P-17 P-33 a deleted configuration and a deleted CI file are named, and are back when the task has failed", async () => {
    const files = { ".github/workflows/ci.yaml": "on: push\n" };
    const place = await loopWorkspace({
      files,
      config: "gates: [{ id: test, run: test -f done.txt }]\nlimits: { attempts: 1 }\n",
      script: script([sh("git rm -q .ralph/config.yaml .github/workflows/ci.yaml && git commit -qm Gone"), WORK, DONE]),
    });
    const before = place.read(".ralph/config.yaml");
    const run = await place.run();
    expect([run.code, verdicts(run)]).toEqual([
      1,
      [["rejected", `the agent changed protected files: .github/workflows/ci.yaml, .ralph/config.yaml${allow(place)}`]],
    ]);
    expect([place.read(".ralph/config.yaml"), place.read(".github/workflows/ci.yaml"), place.commits()]).toEqual([
      before,
      "on: push\n",
      [],
    ]);
  });

  test("P-17 T-10 task allow works after a rejection: kept work lands without a session, and a failed task begins again", async () => {
    const place = await loopWorkspace({
      tasks: ["Kept", "Failed", "More"],
      files: { ".github/workflows/ci.yaml": "on: push\n" },
      config: "gates: [{ id: test, run: 'true' }]\n",
      script: script([sh("date +%N > .github/workflows/ci.yaml"), write("a.txt", "{title}\n"), DONE]),
    });
    const [kept = "", failed = "", more = ""] = place.ids;
    await place.task("edit", failed, "--attempts", "1");
    for (const id of [kept, failed]) await place.run("--task", id, "--max-iterations", "1");
    expect(await place.states()).toEqual({ Kept: "pending", Failed: "failed", More: "pending" });
    expect((await place.task("show", kept)).stdout).toContain("Change\n  diff --git a/.github/workflows/ci.yaml");
    expect((await place.task("allow", more)).stderr).toContain(`${more} is pending and cannot be allowed`);
    expect(await place.task("allow", kept, failed)).toMatchObject({ code: 0 });
    const next = await place.run("--task", kept);
    expect([next.outcomes, next.events.filter(({ type }) => type === "agent.ended"), place.commits()]).toEqual([
      ["verified"],
      [],
      ["Kept"],
    ]);
    expect((await place.run("--task", failed)).outcomes).toEqual(["verified"]);
  });

  test("T-10 files that act on the person's machine wait for a person's word, at no cost of an attempt", async () => {
    const changed = [".mcp.json", ".vscode/tasks.json", "hooks/pre-commit"];
    const place = await loopWorkspace({
      files: { "hooks/pre-commit": "#!/bin/sh\n" },
      config: "gates: [{ id: test, run: test -f done.txt }]\nlimits: { attempts: 1 }\n",
      script: script([...changed.map((path) => write(path, "{}\n")), WORK, DONE]),
    });
    const [id = ""] = place.ids;
    place.git("config", "core.hooksPath", "hooks");
    const run = await place.run();
    expect([run.code, verdicts(run)]).toEqual([
      2,
      [
        [
          "parked",
          `May it change what runs on your machine? It changed ${changed.join(", ")}${allow(place)}; if not: ralphctl task answer ${place.ids[0]} no`,
        ],
      ],
    ]);
    expect((await place.task("show", id)).stdout).toContain("diff --git a/.mcp.json");
    expect(await place.task("allow", id)).toMatchObject({ code: 0 });
    const next = await place.run();
    expect([next.code, next.outcomes, eventsOf(next, "agent.ended"), place.commits()]).toEqual([
      0,
      ["verified"],
      [],
      ["Do it"],
    ]);
  });

  test("P-17 new files that match a protected pattern are fine", async () => {
    const place = await loopWorkspace({
      script: script([write(".github/workflows/new.yaml", "on: push\n"), WORK, DONE]),
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual({
      code: 0,
      outcomes: ["verified"],
      states: { "Do it": "done" },
      commits: ["Do it"],
    });
    expect(place.git("show", "--name-only", "--format=", "HEAD")).toBe(".github/workflows/new.yaml\ndone.txt");
  });

  test("P-17 existing tests are protected where verify.protect says so", async () => {
    const place = await loopWorkspace({
      config: 'gates: [{ id: test, run: sh test/a.sh }]\nverify: { protect: ["test/**"] }\nlimits: { attempts: 1 }\n',
      files: { "test/a.sh": "test -f done.txt\n" },
      script: script([write("test/a.sh", "exit 0\n"), write("test/b.sh", "exit 0\n"), DONE]),
    });
    const run = await place.run();
    expect([run.code, verdicts(run), place.read("test/a.sh")]).toEqual([
      1,
      [["rejected", `the agent changed protected files: test/a.sh${allow(place)}`]],
      "test -f done.txt\n",
    ]);
  });
});
