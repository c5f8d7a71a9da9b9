import type { Owner, TaskId, TaskStatus } from "../domain/task.ts";
import type { Problem } from "./store.ts";

export const deadLease = (task: TaskId, owner: Owner): Problem => ({
  kind: "lease",
  task,
  message: `${task} is held by process ${owner.pid} on ${owner.host}, which is gone; the next run takes it up`,
});

export const waitsForever = (task: TaskId, root: { id: TaskId; status: TaskStatus }): Problem => ({
  kind: "stuck",
  task,
  cause: { id: root.id, status: root.status === "parked" ? "parked" : "failed" },
  message:
    root.status === "parked"
      ? `${task} waits for ${root.id}, which is parked until its question is answered`
      : `${task} waits for ${root.id}, which failed and has no attempts left`,
});
