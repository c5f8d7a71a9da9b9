import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runAndDie } from "../killed-run.ts";
import { type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const PLAN = "- [ ] One\n- [ ] Two\n- [ ] Three\n";

/** The first session does and claims everything; a later one would only claim. */
const claimsAll = async (): Promise<LoopWorkspace> =>
  await loopWorkspace({
    tasks: [],
    config: "gates:\n  - { id: test, run: 'true' }\n",
    files: { "IMPLEMENTATION_PLAN.md": PLAN },
    script: `
- when: { iteration: 1 }
  steps:
    - run: "test -e work.txt || echo all > work.txt; sed -i 's/\\\\[ \\\\]/[x]/' IMPLEMENTATION_PLAN.md"
    - say: "<promise>COMPLETE</promise>\\n<task-done>{task}</task-done>"
- - say: <task-done>{task}</task-done>
`,
  });

test("T-23 L-23 killed between the landing and the last of the tasks claimed together: the next run settles each once", async () => {
  const log = join(temporaryFolder(), "points");
  const whole = await claimsAll();
  expect(await runAndDie(whole.folder, { log })).toBe(0);
  const points = readFileSync(log, "utf8").trim().split("\n");
  const verdict = points.findIndex((name) => name.includes("has_verdict"));
  const landed = points.findIndex((name, index) => index > verdict && name.includes("ended git update-ref"));
  expect(landed).toBeGreaterThan(0);
  const after = points.length - landed;
  await Promise.all(
    [0.1, 0.3, 0.5, 0.7].map(async (part) => {
      const place = await claimsAll();
      await runAndDie(place.folder, { at: landed + Math.round(after * part), whole: true });
      const run = await place.run();
      expect([part, run.code, await place.states()]).toEqual([part, 0, { One: "done", Two: "done", Three: "done" }]);
      const done = place.git("log", "--format=%s").split("\n");
      expect(done.filter((subject) => subject === "One")).toEqual(["One"]);
      expect(place.read("IMPLEMENTATION_PLAN.md")).toBe(PLAN.replaceAll("[ ]", "[x]"));
      for (const title of ["One", "Two", "Three"]) {
        const list = JSON.parse((await place.task("list", "--json")).stdout) as { id: string; title: string }[];
        const { id } = list.find((task) => task.title === title)!;
        const { log: entries } = JSON.parse((await place.task("show", id, "--json")).stdout) as {
          log: { kind: string }[];
        };
        expect(entries.filter(({ kind }) => kind === "verified")).toHaveLength(1);
      }
    }),
  );
});
