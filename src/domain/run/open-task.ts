import type { Task } from "../task.ts";

/** Whether there is something left to do: not done, not dropped, not failed for good. */
export const isUnfinished = ({ status, retry }: Pick<Task, "status" | "retry">): boolean =>
  status === "failed" ? retry : status !== "done" && status !== "dropped";
