import { RalphError } from "../domain/error.ts";
import { groupBy } from "../domain/group.ts";
import type { ForeignTask, TaskDatabase } from "./foreign.ts";
import { numberOf, timeOf, wordsOf } from "./words.ts";

/** `.ralph/progress.db`, the graph of tasks of the Rust ralph. Its ids are like ours, and stay. */
export const progressDb: TaskDatabase = {
  name: "progress.db",
  tool: "the Rust ralph",
  kind: "sqlite",
  tables: ["tasks", "dependencies", "features"],
  matches: (path) => /(?:^|[\\/])progress\.db$/i.test(path),
  read: ({ tasks = [], dependencies = [], features = [] }) => {
    const needs = groupBy(dependencies, (row) => wordsOf(row["blocked_id"]));
    const names = new Map(features.map((row) => [wordsOf(row["id"]), wordsOf(row["name"])]));
    return {
      tasks: tasks.map((row): ForeignTask => {
        const [id, title] = [wordsOf(row["id"]), wordsOf(row["title"])];
        if (id === "" || title === "") throw fault();
        const feature = names.get(wordsOf(row["feature_id"])) ?? "";
        return {
          id,
          title,
          description: wordsOf(row["description"]),
          // 0 is what everything has there.
          priority: numberOf(row["priority"]) === 0 ? undefined : numberOf(row["priority"]),
          tags: feature === "" ? [] : [feature],
          // What failed there is tried again here.
          state: wordsOf(row["status"]) === "done" ? "settled" : "open",
          parent: wordsOf(row["parent_id"]) || undefined,
          needs: (needs.get(id) ?? []).map((edge) => wordsOf(edge["blocker_id"])),
          createdAtMs: timeOf(row["created_at"]),
        };
      }),
      notices: [],
    };
  },
};

const fault = (): RalphError =>
  new RalphError("data", "This is no progress.db of the Rust ralph: a task has no id or no title", {
    hint: "Check that it is the right file",
  });
