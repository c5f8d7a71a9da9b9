import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isRunning } from "../agent-session.ts";
import { fleetPlay, until } from "../fleet-play.ts";
import { postgresMissing } from "../postgres.ts";

const PATIENT = 600_000;

/** Says who it is, and waits for the test. */
const WAITS = `echo "$RALPHCTL_TASK" > "$RALPHCTL_TASK.txt"
echo $$ > "$MEET/agent-$RALPHCTL_TASK.new"; mv "$MEET/agent-$RALPHCTL_TASK.new" "$MEET/agent-$RALPHCTL_TASK"
until [ -e "$MEET/go" ]; do sleep 0.1; done`;

describe.skipIf(postgresMissing !== undefined)("processes of a machine that dies", () => {
  test(
    "F-07 a worker that is killed takes its own agent with it, and none of another worker of the same user",
    { timeout: PATIENT },
    async () => {
      const play = await fleetPlay({ agent: WAITS, lease: "5s" });
      const [a = ""] = await play.addTasks([["First"]]);
      const [one, two] = [play.machine(), play.machine()];
      const pidOf = (task: string): number => Number(readFileSync(join(play.meeting, `agent-${task}`), "utf8"));
      const hasBegun = (task: string) => () => existsSync(join(play.meeting, `agent-${task}`));
      const run = play.machine().start("run", "--fleet");
      const killed = one.start("worker", "--once");
      await until(hasBegun(a), "the first agent");
      const [b = ""] = await play.addTasks([["Second"]]);
      const other = two.start("worker", "--once");
      await until(hasBegun(b), "the second agent");
      const [first, second] = [pidOf(a), pidOf(b)];
      killed.kill("SIGKILL");
      await until(() => !isRunning(first), "the end of the first agent");
      // The next start in that clone looks for what is left, too.
      const again = one.start("worker", "--once");
      await until(() => again.said().includes("Works on run"), "the worker that came back");
      await until(
        async () =>
          (await play.shared.members()).filter(({ isLive, state }) => isLive && state.run !== undefined).length >= 2,
        "both",
      );
      expect(isRunning(second)).toBe(true);
      writeFileSync(join(play.meeting, "go"), "");
      expect((await run.ended).code, [run, other, again].map(({ said }) => said()).join("\n")).toBe(0);
      expect(await play.faults()).toEqual([]);
      // It was the same session to the end.
      expect(pidOf(b)).toBe(second);
      expect((await play.shared.store.attempts(b)).map(({ outcome }) => outcome)).toEqual(["verified"]);
    },
  );
});
