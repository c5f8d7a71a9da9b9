import type { EventOf, TaskName } from "../domain/run/event.ts";
import type { HeldWhy } from "../domain/run/lanes-held.ts";
import { lookup, taskText } from "./run-text.ts";

type Held = Pick<EventOf<"lanes.held">, "lane" | "task"> & { readonly why: HeldWhy };

const REASONS: Readonly<Record<HeldWhy, (held: Held) => string>> = {
  alone: ({ lane }) => (lane === undefined ? "a task works alone" : `lane ${lane} works alone`),
  budget: () => "too little of the budget is left",
  iterations: () => "the limit of iterations is near",
};

/** Why a lane is idle, in a few words. */
export const heldText = (held: Held | undefined): string | undefined =>
  held === undefined ? undefined : lookup(REASONS, held.why)?.(held);

const LINES: Readonly<Record<HeldWhy, (task: TaskName | undefined) => string>> = {
  alone: (task) => {
    const what = task === undefined ? "a task" : taskText(task);
    return `No other lane begins a task: ${what} works alone, because it conflicted again and again`;
  },
  budget: () => "No lane begins a task: less of the budget is left than a session takes",
  iterations: () => "No lane begins a task: those under way may reach the limit of iterations",
};

export const heldLines = ({ why, task }: EventOf<"lanes.held">): string[] =>
  why === undefined ? [] : [lookup(LINES, why)?.(task) ?? []].flat();
