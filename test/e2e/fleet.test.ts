import { describe, expect, test } from "vitest";
import { ralphctl } from "../built-program.ts";
import { filesWith, fleetPlay } from "../fleet-play.ts";
import { postgresMissing } from "../postgres.ts";
import { git } from "../temporary-folder.ts";

const HASTY = { RALPHCTL_FLEET_PATIENCE: "1s" };

const WORK = 'echo "$RALPHCTL_TASK" > "$RALPHCTL_TASK.txt"';

describe.skipIf(postgresMissing !== undefined)("a fleet", () => {
  test("F-03 F-08 a worker does what a run asks for, and neither session nor gate sees the address", async () => {
    const dump = 'env > "$MEET/env-$$"; tr "\\0" "\\n" < /proc/$PPID/cmdline > "$MEET/args-$$"';
    const play = await fleetPlay({ agent: `${WORK}\n${dump}`, gate: "env" });
    await play.addTasks([["First"], ["Second", 0], ["Third", 1]]);
    const [one, two] = [play.machine(), play.machine()];
    const worker = one.start("worker", "--once");
    const run = await two.type("run", "--fleet");
    expect(run, worker.said()).toMatchObject({ code: 0, stdout: expect.stringContaining("3 tasks") });
    expect(await play.states()).toEqual({ First: "done", Second: "done", Third: "done" });
    expect([play.subjects(), await play.faults()]).toEqual([["First", "Second", "Third"], []]);
    expect(await worker.ended).toMatchObject({ code: 0, stderr: expect.stringContaining("The run has ended") });
    expect(git(two.folder, "rev-parse", "main")).toBe(git(play.bare, "rev-parse", "main"));
    const secret = new URL(play.url).pathname.slice(1);
    const places = [play.meeting, `${one.folder}/.ralph`, `${two.folder}/.ralph`];
    expect(places.flatMap((place) => filesWith(place, ["RALPHCTL_FLEET_URL", secret]))).toEqual([]);
    // No candidate is left behind.
    expect(git(play.bare, "for-each-ref", "--format=%(refname)", "refs/ralph/work")).toBe("");
  });

  test("F-03 F-10 what cannot work is a sentence, a way out and an exit code", async () => {
    const play = await fleetPlay({ agent: WORK, config: "limits: { time: 5m }" });
    await play.addTasks([["First"]]);
    const machine = play.machine();
    const said = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await machine.type(...args);
      return [code, `${stdout}${stderr}`] as const;
    };
    expect(await said("run")).toEqual([64, expect.stringContaining("Run ralphctl run --fleet, or unset")]);
    expect(await said("run", "--fleet", "--in-place")).toEqual([64, expect.stringContaining("is for one machine")]);
    expect(await said("worker", "--harness", "codex")).toEqual([69, expect.stringContaining("codex")]);
    // It would join, and take no task.
    const doubted = { cwd: machine.folder, env: { ...machine.env, RALPHCTL_TRUST: "0" } };
    expect(await ralphctl(["worker"], doubted)).toMatchObject({
      code: 78,
      stderr: expect.stringContaining("ralphctl trust"),
    });
    expect(await play.shared.members()).toEqual([]);
    // Nobody takes the task: it is not waited for in silence.
    const alone = await ralphctl(["run", "--fleet"], { cwd: machine.folder, env: { ...machine.env, ...HASTY } });
    expect(alone).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("no machine took a task for 1s: there is no worker"),
    });
    git(machine.folder, "remote", "rename", "origin", "elsewhere");
    expect(await said("run", "--fleet")).toEqual([
      78,
      expect.stringContaining("There is no repository at the remote origin"),
    ]);
    git(machine.folder, "remote", "rename", "elsewhere", "origin");
    git(machine.folder, "switch", "--quiet", "--create", "other");
    expect(await said("run", "--fleet")).toEqual([78, expect.stringContaining("git push origin other")]);
    git(machine.folder, "switch", "--quiet", "--detach");
    expect(await said("run", "--fleet")).toEqual([78, expect.stringContaining("HEAD is detached")]);
  });
});
