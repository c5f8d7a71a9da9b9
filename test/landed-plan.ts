import { expect } from "vitest";
import { DONE, scriptFor, sh } from "./hostile-run.ts";
import { type LoopWorkspace, loopWorkspace } from "./loop-workspace.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export const GREEN = "gates: [{ id: test, run: test ! -e broken }]\n";
export const PLAN = "IMPLEMENTATION_PLAN.md";

/** Three tasks of a plan file, each landed with a file of its own. */
export async function landed(
  env: Record<string, string> = { HOME: temporaryFolder() },
): Promise<LoopWorkspace & { run1: string }> {
  const place = await loopWorkspace({
    tasks: [],
    files: { [PLAN]: "# Plan\n\n- [ ] One\n- [ ] Two\n- [ ] Three\n", "list.txt": "start\n" },
    config: GREEN,
    script: scriptFor({
      One: [sh("echo one > one.txt"), DONE],
      Two: [sh("echo two > two.txt; echo two >> list.txt"), DONE],
      Three: [sh("echo three > three.txt; sed -i 's/two/2/' list.txt"), DONE],
    }),
    env,
  });
  const run = await place.run();
  expect([run.code, place.read(PLAN)]).toEqual([0, "# Plan\n\n- [x] One\n- [x] Two\n- [x] Three\n"]);
  return { ...place, run1: run.name };
}

export const idOf = async (place: LoopWorkspace, title: string): Promise<string> =>
  (JSON.parse((await place.task("list", "--json")).stdout) as { id: string; title: string }[]).find(
    (task) => task.title === title,
  )!.id;

export const files = (place: LoopWorkspace): string[] => place.git("ls-files", "*.txt").split("\n");
export const at = (place: LoopWorkspace, name: string): string => place.git("rev-parse", name);

const statesOf = ({ Plan: _heading, ...states }: Record<string, string>): Record<string, string> => states;

/** Everything that an undo may change. */
export const look = async (place: LoopWorkspace) => ({
  states: statesOf(await place.states()),
  commits: place.commits(),
  files: files(place),
  plan: place.read(PLAN),
  status: place.git("status", "--porcelain"),
  isEven: at(place, "main") === at(place, "refs/ralph/target/main"),
});
