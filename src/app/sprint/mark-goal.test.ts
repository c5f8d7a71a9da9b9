import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, write } from "../../../test/temporary-folder.ts";
import type { Task } from "../../domain/task.ts";
import { createMemoryStore } from "../../../test/memory-store/memory-store.ts";
import { randomId } from "../../store/index.ts";
import type { Store } from "../../store/store.ts";
import { type GoalPlace, markGoal, unmarkGoal } from "./mark-goal.ts";

const SCOPE = "sprint/s";
const FILE = "s/PROGRESS.yaml";

interface World extends GoalPlace {
  readonly goal: Task;
  readonly text: () => string;
}

async function worldWith(text: string): Promise<World> {
  const root = temporaryFolder({ [FILE]: text });
  const store = createMemoryStore({ newId: randomId, clock: Date.now, isAlive: () => true });
  const [id] = await store.add([{ scope: SCOPE, title: "Goal: x" }]);
  const goal = { ...(await store.get(id!))!, summary: "It is there" };
  const sprint = { lastGood: { root, path: join(root, ".ralph/backup/sprints", FILE) } };
  return { store, root, scope: SCOPE, file: FILE, sprint, goal, text: () => readFileSync(join(root, FILE), "utf8") };
}

const DONE = 'goal: x # why\nstatus: completed\nsummary: "It is there"\n';

test("S003-06 the goal is marked, once, and the mark is taken back when it does not hold", async () => {
  const world = await worldWith("goal: x # why\n");
  expect(await markGoal(world, world.goal, "done")).toEqual({ hasChanged: true, problems: [] });
  expect([await markGoal(world, world.goal, "done"), world.text()]).toEqual([
    { hasChanged: false, problems: [] },
    DONE,
  ]);
  expect(await markGoal(world, world.goal, "is")).toEqual({ hasChanged: true, problems: [] });
  expect(world.text()).toBe("goal: x # why\n");
});

test("S003-06 what a person wrote by hand is left to them, what an agent wrote is not", async () => {
  const world = await worldWith("goal: x\nstatus: completed\n");
  expect([await unmarkGoal(world, "person"), world.text()]).toEqual([
    { hasChanged: false, problems: [] },
    "goal: x\nstatus: completed\n",
  ]);
  expect([await unmarkGoal(world, "agent"), world.text()]).toEqual([
    { hasChanged: true, problems: [] },
    "goal: x\nstatus: in-progress\n",
  ]);
  // What it said when it was last looked at is known better than that.
  write(world.root, {
    [FILE]: "goal: x\nstatus: completed # by hand\n",
    [`.ralph/backup/sprints/${FILE}`]: "goal: x\nstatus: 'half' # by hand\n",
  });
  expect([await unmarkGoal(world, "agent"), world.text()]).toEqual([
    { hasChanged: true, problems: [] },
    "goal: x\nstatus: 'half' # by hand\n",
  ]);
});

test("S003-04 P-53 a file that cannot be marked is said, and stays", async () => {
  const world = await worldWith("goal: x\nstatus: [a]\n");
  expect([await markGoal(world, world.goal, "done"), world.text()]).toEqual([
    { hasChanged: false, problems: [`${FILE}: Line 2, column 9: \`status\` is not text`] },
    "goal: x\nstatus: [a]\n",
  ]);
});

test("S003-04 after five tries a file that never rests is left alone, and ours is kept", async () => {
  const world = await worldWith("goal: x\n");
  let times = 0;
  const store: Store = {
    ...world.store,
    async setMeta(key, value) {
      times += 1;
      write(world.root, { [FILE]: `goal: x\n# ${times}\n` });
      await world.store.setMeta(key, value);
    },
  };
  const ours = `.ralph/backup/refused/${FILE}`;
  expect(await markGoal({ ...world, store }, world.goal, "done")).toEqual({
    hasChanged: false,
    problems: [`${FILE} keeps changing, so your version stays; ralphctl's version is in ${ours}`],
  });
  expect([times, world.text(), readFileSync(join(world.root, ours), "utf8")]).toEqual([
    5,
    "goal: x\n# 5\n",
    'goal: x\nstatus: completed\nsummary: "It is there"\n# 4\n',
  ]);
});
