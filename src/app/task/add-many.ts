import { RalphError } from "../../domain/error.ts";
import type { NewTask } from "../../domain/task-input.ts";
import { parseTaskList } from "../../domain/task-list.ts";
import type { TaskId } from "../../domain/task.ts";
import { randomId } from "../../store/index.ts";

const TRIES = 5;

/** A store, or what stands before it. */
export interface TaskEntrance {
  readonly add: (tasks: readonly NewTask[]) => Promise<TaskId[]>;
}

/** Adds what `task add -` reads, JSONL or a Markdown list, all of it or nothing. Returns the ids in that order. */
export async function addMany(text: string, scope: string, store: TaskEntrance): Promise<TaskId[]> {
  for (let left = TRIES; ; left -= 1) {
    const made = new Set<TaskId>();
    const newId = (): TaskId => {
      const id = randomId();
      made.add(id);
      return id;
    };
    try {
      return await store.add(parseTaskList(text, { scope, newId, now: Date.now() }));
    } catch (error) {
      // Chance has given out an id that is taken.
      const about = error instanceof RalphError ? error.about : undefined;
      if (left === 1 || about?.kind !== "id taken" || !made.has(about.id)) throw error;
    }
  }
}
