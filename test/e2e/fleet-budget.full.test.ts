import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fleetPlay, type FleetPlay, until } from "../fleet-play.ts";
import { DONE, script, sh, type Step } from "../hostile-run.ts";
import { meet } from "../many-lanes.ts";
import { postgresMissing } from "../postgres.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const PATIENT = 600_000;
const FOUR = [["One"], ["Two"], ["Three"], ["Four"]] as const;
const WRITE = sh("echo $RALPHCTL_TASK > $RALPHCTL_TASK.txt");
const LIMITED: Step = {
  end: { kind: "limit", limit: "five_hour", resetsInMs: 3_600_000, message: "Come back later" },
};

function scriptFile(...steps: readonly Step[]): string {
  const path = join(temporaryFolder(), "script.yaml");
  writeFileSync(path, script(steps));
  return path;
}

/** A fleet whose agent follows this script, on machines that have none of their own. */
async function scripted(path: string, config = ""): Promise<FleetPlay> {
  const harness = `harness: scripted\nharnesses: { scripted: { script: ${JSON.stringify(path)} } }`;
  const play = await fleetPlay({ agent: "", harness, config });
  await play.addTasks(FOUR);
  return play;
}

describe.skipIf(postgresMissing !== undefined)("F-05 what the machines of a fleet share", () => {
  test(
    "F-05 X-4 four sessions on two machines have a part of the budget each, and do not spend it four times",
    { timeout: PATIENT },
    async () => {
      const path = scriptFile(sh(meet(temporaryFolder(), 4)), { cost: 0.3 }, { delayMs: 20_000 }, { cost: 5 }, DONE);
      const play = await scripted(path);
      const workers = [play.machine(), play.machine()].map((each) => each.start("worker", "--once", "--lanes", "2"));
      await until(async () => (await play.shared.members()).length === 2, "two workers");
      const run = play.machine().start("run", "--fleet", "--max-cost", "1");
      const { code, stdout } = await run.ended;
      const [ended] = await play.shared.listRuns(1);
      expect([code, ended?.costUsd.toFixed(2)], stdout + workers.map(({ said }) => said()).join("\n")).toEqual([
        4,
        "1.20",
      ]);
      for (const worker of workers) expect(await worker.ended).toMatchObject({ code: 0 });
      const said = workers.map(
        (worker) => worker.said().split("It reached its part of the budget of the run").length - 1,
      );
      expect(said).toEqual([2, 2]);
    },
  );

  test(
    "F-05 the usage limit of one machine's account spares machines with another, and holds for those with the same",
    { timeout: PATIENT },
    async () => {
      const play = await scripted(scriptFile(WRITE, DONE), "limits: { wait: 1s }");
      const limited = { RALPHCTL_HARNESSES_SCRIPTED_SCRIPT: scriptFile(LIMITED) };
      const first = play.machine({ env: { ...limited, ANTHROPIC_API_KEY: "one" } }).start("worker", "--once");
      const run = play.machine().start("run", "--fleet");
      await until(async () => (await play.shared.cooldowns()).length === 1, "the limit");
      const same = play.machine({ env: { ANTHROPIC_API_KEY: "one" } }).start("worker", "--once");
      const desk = play.machine();
      await until(async () => (await play.shared.members()).length === 2, "a second worker");
      expect((await desk.type("fleet", "status")).stdout).toContain("Come back later");
      const other = play.machine({ env: { ANTHROPIC_API_KEY: "two" } }).start("worker", "--once");
      const all = () => [run, first, same, other].map(({ said }) => said()).join("\n");
      expect((await run.ended).code, all()).toBe(0);
      for (const worker of [first, same, other]) expect(await worker.ended, all()).toMatchObject({ code: 0 });
      expect([first, same, other].map(({ said }) => said().split("│ Iteration ").length - 1)).toEqual([1, 0, 4]);
      expect(await play.faults()).toEqual([]);
    },
  );

  test(
    "F-05 limits of a session that are typed where a run begins hold on its workers",
    { timeout: PATIENT },
    async () => {
      const play = await fleetPlay({ agent: 'date +%N > "$RALPHCTL_TASK.txt"', gate: "false" });
      const [id = ""] = await play.addTasks([["One"]]);
      const worker = play.machine().start("worker", "--once");
      const run = play.machine().start("run", "--fleet", "--max-attempts", "1");
      expect((await run.ended).code, run.said() + worker.said()).toBe(1);
      expect(await worker.ended).toMatchObject({ code: 0 });
      expect((await play.shared.store.attempts(id)).map(({ outcome }) => outcome)).toEqual(["rejected"]);
    },
  );
});
