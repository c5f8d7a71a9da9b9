import type { Owner, TaskId, TaskStatus } from "../domain/task.ts";
import type { Problem } from "./store.ts";

export function deadLease(task: TaskId, owner: Owner, verdict: "verdict" | "none"): Problem {
  const who = `process ${owner.pid} on ${owner.host}`;
  return verdict === "verdict"
    ? {
        kind: "lease",
        task,
        message: `${task} was verified by ${who}, which died before it could finish it; the next run does`,
        advice: "Finish it: ralphctl run",
      }
    : {
        kind: "lease",
        task,
        message: `${task} is held by ${who}, which is gone; the next run takes it up`,
        advice: `Free it now: ralphctl task reset ${task}`,
      };
}

export const waitsForever = (task: TaskId, root: { id: TaskId; status: TaskStatus }): Problem => ({
  kind: "stuck",
  task,
  cause: { id: root.id, status: root.status === "parked" ? "parked" : "failed" },
  message:
    root.status === "parked"
      ? `${task} waits for ${root.id}, which is parked until its question is answered`
      : `${task} waits for ${root.id}, which failed and has no attempts left`,
});
