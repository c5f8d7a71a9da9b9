import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, write } from "../../../test/temporary-folder.ts";
import { createMemoryStore } from "../../../test/memory-store/memory-store.ts";
import { randomId } from "../../store/index.ts";
import type { Store } from "../../store/store.ts";
import { finishWriting, type StepsPlace, writeNewSteps } from "./write-steps.ts";

const SCOPE = "sprint/s";
const FILE = "s/PROGRESS.yaml";

const STEP = /  - id: step-0\n    prompt: "Paint it"\n    status: pending\n    added-at: "[^"]+"\n/;

async function placeOf(text: string): Promise<StepsPlace & { readonly store: Store; readonly task: string }> {
  const root = temporaryFolder({ [FILE]: text });
  const store = createMemoryStore({ newId: randomId, clock: Date.now, isAlive: () => true });
  const [task] = await store.add([{ scope: SCOPE, title: "Paint it" }]);
  return { store, root, scope: SCOPE, file: FILE, goal: undefined, iteration: () => undefined, task: task! };
}

const read = ({ root }: StepsPlace): string => readFileSync(join(root, FILE), "utf8");

test("D-11 a task that was added by command becomes a step, once", async () => {
  const place = await placeOf("goal: x # why\n");
  expect(await writeNewSteps(place)).toEqual({ hasChanged: true, problems: [] });
  const text = read(place);
  expect(text).toMatch(STEP);
  expect(text.startsWith("goal: x # why\ndynamic-steps:\n")).toBe(true);
  expect((await place.store.get(place.task))?.source).toEqual({ file: FILE, key: "id:step-0" });
  expect(await writeNewSteps(place)).toEqual({ hasChanged: false, problems: [] });
  expect(read(place)).toBe(text);
});

test("D-11 P-41 killed after the file was written: the task is that step, and no second one is made", async () => {
  const place = await placeOf("dynamic-steps:\n  - {id: step-0, prompt: Paint it}\n");
  await place.store.setMeta(`sprint/steps/${SCOPE}`, [[place.task, "step-0"]]);
  const before = read(place);
  await finishWriting(place);
  expect(await writeNewSteps(place)).toEqual({ hasChanged: false, problems: [] });
  expect([read(place), (await place.store.get(place.task))?.source]).toEqual([
    before,
    { file: FILE, key: "id:step-0" },
  ]);
});

test("D-11 P-41 killed before the file was written: it is written now", async () => {
  const place = await placeOf("dynamic-steps: []\n");
  await place.store.setMeta(`sprint/steps/${SCOPE}`, [[place.task, "step-0"]]);
  await finishWriting(place);
  expect(await writeNewSteps(place)).toEqual({ hasChanged: true, problems: [] });
  expect(read(place)).toMatch(STEP);
});

test("S003-04 P-53 a file that cannot be read is left alone, and the task waits", async () => {
  const place = await placeOf("dynamic-steps: [\n");
  const { hasChanged, problems } = await writeNewSteps(place);
  expect([hasChanged, problems[0]?.startsWith(`${FILE}: Line `), read(place)]).toEqual([
    false,
    true,
    "dynamic-steps: [\n",
  ]);
  expect((await place.store.get(place.task))?.source).toBe(undefined);
});

test("S003-04 what somebody writes between reading and writing is merged", async () => {
  const place = await placeOf("dynamic-steps: []\n");
  let isFirst = true;
  // Asked between reading the file and writing it.
  const iteration = (): number => {
    if (isFirst) write(place.root, { [FILE]: "# mine\ndynamic-steps:\n  - {id: step-0, prompt: Theirs}\n" });
    isFirst = false;
    return 2;
  };
  expect(await writeNewSteps({ ...place, iteration })).toEqual({ hasChanged: true, problems: [] });
  expect(read(place).replace(/"2[^"]*Z"/, "NOW")).toBe(
    '# mine\ndynamic-steps:\n  - {id: step-0, prompt: Theirs}\n  - id: step-1\n    prompt: "Paint it"\n    status: pending\n    added-at: NOW\n    added-in-iteration: 2\n',
  );
});

test("S003-04 after five tries a file that never rests is left alone, ours is kept, and the task waits", async () => {
  const place = await placeOf("dynamic-steps: []\n");
  let times = 0;
  const iteration = (): number => {
    times += 1;
    write(place.root, { [FILE]: `# ${times}\ndynamic-steps: []\n` });
    return 2;
  };
  expect(await writeNewSteps({ ...place, iteration })).toEqual({
    hasChanged: false,
    problems: [`${FILE} keeps changing, so your version stays; ralphctl's version is in .ralph/backup/refused/${FILE}`],
  });
  const ours = readFileSync(join(place.root, ".ralph/backup/refused", FILE), "utf8");
  expect([times, read(place), ours.startsWith("# 4\ndynamic-steps:\n"), STEP.test(withoutIteration(ours))]).toEqual([
    5,
    "# 5\ndynamic-steps: []\n",
    true,
    true,
  ]);
  expect((await place.store.get(place.task))?.source).toBe(undefined);
  // Once there is rest, it becomes a step.
  expect(await writeNewSteps(place)).toEqual({ hasChanged: true, problems: [] });
});

const withoutIteration = (text: string): string => text.replace("    added-in-iteration: 2\n", "");
