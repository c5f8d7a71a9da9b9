import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { marked } from "../../src/system/process/sweep.ts";
import { PROGRAM } from "../built-program.ts";
import type { Started } from "../control-process.ts";
import { type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";
import { hasTerminals, startAtTerminal } from "../terminal.ts";
import { byLane } from "../lane.ts";

/** `ralphctl step` at a terminal of its own. */
function step(place: LoopWorkspace, ...args: readonly string[]): Started {
  return startAtTerminal([process.execPath, PROGRAM, "step", ...args], place.folder);
}

/** What was recorded of the one run there was; nothing of it may be left running. */
function record(place: LoopWorkspace): { events: RunEvent[]; file: (path: string) => string } {
  const [run = ""] = readdirSync(join(place.folder, ".ralph/runs"));
  const file = (path: string): string => readFileSync(join(place.folder, ".ralph/runs", run, path), "utf8");
  expect(marked({ name: "RALPHCTL_RUN", value: run })).toEqual([]);
  const lines = file("events.ndjson").split("\n").filter(Boolean);
  return { events: lines.map((line) => JSON.parse(line) as RunEvent), file };
}

const find = (events: readonly RunEvent[], type: RunEvent["type"]): RunEvent | undefined =>
  events.find((event) => event.type === type);

/** A workspace whose agent is a shell command at the terminal. */
async function commandPlace(run: string): Promise<LoopWorkspace> {
  const place = await loopWorkspace({ script: "- - say: Nothing.\n" });
  place.write({
    ".ralph/config.yaml": `harness: command\nharnesses:\n  command: { run: ${JSON.stringify(run)} }\ngates:\n  - { id: test, run: test -f done.txt }\n`,
  });
  return place;
}

describe.runIf(hasTerminals)("step at a terminal", () => {
  test("P-13 S000-R2 X-0 the agent claims through its channel; gates decide, it is recorded and committed", async () => {
    const place = await loopWorkspace({
      script: `
- - say: Let us begin.
  - write: { path: done.txt, text: "yes\\n" }
  - run: ralphctl task done "$RALPHCTL_TASK" Together
`,
    });
    const started = step(place);
    expect([await started.ended, started.output().includes("Is it done?")]).toEqual([0, false]);
    expect(started.output()).toContain("Let us begin.\r\n> write done.txt\r\n");
    const { events, file } = record(place);
    expect(file("1/prompt.md")).toContain("Do it");
    expect(file("1/system.md")).toMatch(/\S/);
    expect(JSON.parse(file("1/result.json"))).toMatchObject({ outcome: "verified", channel: "command" });
    expect(find(events, "run.started")).toMatchObject({
      scope: "workspace",
      mode: "build",
      limits: { iterations: 1 },
    });
    expect(find(events, "run.finished")).toMatchObject({ ending: "complete", iterations: 1, verified: 1, commits: 1 });
    expect([await place.states(), place.commits()]).toEqual([{ "Do it": "done" }, ["Do it"]]);
  });

  test("P-13 X-0 the person answers that it is done; the prompt of a command is in a file", async () => {
    const place = await commandPlace(
      'test -t 0 && test -t 1 && grep -q "Do it" "$RALPHCTL_PROMPT" && printf "name? " && read name && echo "$name" > done.txt',
    );
    const started = step(place);
    await started.says("name? ");
    started.child.stdin.write("Ada\n");
    await started.says("Is it done?");
    started.child.stdin.write("y");
    expect(await started.ended).toBe(0);
    expect(find(record(place).events, "claim.made")).toMatchObject({ claim: "done", channel: "person" });
    expect([place.read("done.txt"), await place.states(), place.commits()]).toEqual([
      "Ada\n",
      { "Do it": "done" },
      ["Do it"],
    ]);
  });

  test("X-1 the person's word is a claim as well: a red gate leaves the task open", async () => {
    const place = await commandPlace("echo half > half.txt");
    const started = step(place);
    await started.says("Is it done?");
    started.child.stdin.write("y");
    expect(await started.ended).toBe(1);
    expect(find(record(place).events, "iteration.finished")).toMatchObject({ outcome: "rejected", status: "pending" });
    expect([await place.states(), place.commits()]).toEqual([{ "Do it": "pending" }, []]);
  });

  test("X-1 L-07 not done yet: the work is kept, and nothing is counted", async () => {
    const place = await commandPlace("echo half > half.txt");
    const started = step(place);
    await started.says("Is it done?");
    started.child.stdin.write("n");
    expect(await started.ended).toBe(1);
    expect(find(record(place).events, "iteration.finished")).toMatchObject({ outcome: "unfinished", counted: false });
    expect([
      existsSync(join(place.folder, "half.txt")),
      place.git("show", `refs/ralph/work/${place.ids[0]}:half.txt`),
    ]).toEqual([false, "half"]);
  });

  test("P-40 X-130 Ctrl-C while the gates run before the session: the agent is not started", async () => {
    const place = await loopWorkspace({
      config: "gates:\n  - { id: test, run: sleep 60 }\n",
      script: "- - write: { path: started.txt, text: x }\n",
    });
    const started = step(place);
    await started.says("Checking the gates");
    started.child.stdin.write("\u0003");
    expect([await started.ended, existsSync(join(place.folder, "started.txt"))]).toEqual([130, false]);
    expect(record(place).events.map(({ type }) => type)).not.toContain("iteration.started");
  });

  test.each(byLane<NodeJS.Signals[]>(["SIGHUP"], ["SIGHUP", "SIGTERM"]))(
    "P-40 X-130 %s while the question is open ends the step",
    async (signal) => {
      const place = await commandPlace("echo half > half.txt");
      const started = step(place);
      await started.says("Is it done?");
      const lines = readdirSync(join(place.folder, ".ralph/runs")).map((run) =>
        readFileSync(join(place.folder, ".ralph/runs", run, "events.ndjson"), "utf8"),
      );
      const { pid } = JSON.parse(lines[0]!.split("\n")[0]!) as { pid: number };
      process.kill(pid, signal);
      expect(await started.ended).toBe(130);
      expect(find(record(place).events, "iteration.finished")).toMatchObject({ outcome: "unfinished", counted: false });
      expect([await place.states(), place.git("show", `refs/ralph/work/${place.ids[0]}:half.txt`)]).toEqual([
        { "Do it": "pending" },
        "half",
      ]);
    },
  );

  test("S000-AC1 S000-R2 P-04 step plan: {project} is the project's folder, and the plan is committed", async () => {
    const place = await loopWorkspace({
      tasks: [],
      files: { "PROMPT_plan.md": "Plan the work in {project}.\n", "projects/auth-system/specs/login.md": "# Login\n" },
      script: '- - write: { path: projects/auth-system/IMPLEMENTATION_PLAN.md, text: "- [ ] Add a form\\n" }\n',
    });
    const started = step(place, "plan", "--project", "auth-system");
    expect([await started.ended, started.output().includes("Is it done?")]).toEqual([0, false]);
    const { events, file } = record(place);
    expect(file("1/prompt.md")).toContain("Plan the work in projects/auth-system.");
    expect(find(events, "run.started")).toMatchObject({ scope: "project/auth-system", mode: "plan" });
    expect([await place.states(), place.commits()]).toEqual([{ "Add a form": "pending" }, ["Plan the work"]]);
    const [mine, others] = [
      await place.ralphctl("run", "--status", "--project", "auth-system"),
      await place.ralphctl("run", "--status"),
    ];
    expect([/of project\/auth-system\n/.test(mine.stdout), others.stdout]).toEqual([
      true,
      "No runs of workspace yet\n\nNext:\n  ralphctl run\n",
    ]);
  });
});

test("X-64 step without a terminal is refused, and nothing was started", async () => {
  const place = await loopWorkspace({ script: "- - say: Nothing.\n" });
  expect(await place.ralphctl("step")).toEqual({
    code: 64,
    stdout: "",
    stderr:
      "error: step hands the terminal to the agent, but there is no terminal\nhint: Run it at a terminal, or let the agent work alone: ralphctl run\n",
  });
  expect(existsSync(join(place.folder, ".ralph/runs"))).toBe(false);
});
