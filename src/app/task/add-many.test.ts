import { expect, test } from "vitest";
import { createMemoryStore } from "../../../test/memory-store/memory-store.ts";
import type { NewTask } from "../../domain/task-input.ts";
import { idTaken } from "../../store/task-errors.ts";
import { addMany } from "./add-task.ts";

const open = () => createMemoryStore({ clock: () => 1, newId: () => "t-0", isAlive: () => true });

test("a Markdown list becomes tasks; the ids come back in its order", async () => {
  const store = open();
  const ids = await addMany("- Build\n  - [x] Dig\n- Paint\n", "project/x", store);
  const tasks = await Promise.all(ids.map((id) => store.get(id)));
  expect(tasks.map((task) => [task!.title, task!.status, task!.parent, task!.scope])).toEqual([
    ["Build", "done", undefined, "project/x"],
    ["Dig", "done", ids[0], "project/x"],
    ["Paint", "pending", undefined, "project/x"],
  ]);
  expect((await store.list()).tasks.map(({ id }) => id)).toEqual(ids);
});

test("JSONL may name ids, and tasks that are there; all of it is added or nothing", async () => {
  const store = open();
  await store.add([{ id: "old", scope: "workspace", title: "old" }]);
  expect(
    await addMany('{"id":"b","title":"B","needs":["old"]}\n{"id":"c","title":"C","needs":["b"]}', "workspace", store),
  ).toEqual(["b", "c"]);
  await expect(addMany('{"id":"d","title":"D"}\n{"id":"old","title":"again"}', "workspace", store)).rejects.toThrow(
    "There is already a task old",
  );
  expect((await store.list()).tasks.map(({ id }) => id)).toEqual(["old", "b", "c"]);
});

test("an id that chance gave out and that is taken is replaced, and not for ever", async () => {
  const store = open();
  let refusals = 1;
  const busy = {
    add: async (tasks: readonly NewTask[]) => {
      if (refusals-- > 0) throw idTaken(tasks[0]!.id!);
      return await store.add(tasks);
    },
  };
  expect(await addMany("- Build\n", "workspace", busy)).toHaveLength(1);
  refusals = 5;
  await expect(addMany("- Paint\n", "workspace", busy)).rejects.toThrow("There is already a task");
  expect((await store.list()).tasks.map(({ title }) => title)).toEqual(["Build"]);
});
