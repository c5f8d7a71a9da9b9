export const tasks = `Tasks: what to do

A task is small enough for a few agent sessions. A task can need other tasks,
and it can be part of another task. The loop takes ready tasks, lower priority
numbers first. A task with parts is done when they are. If it has gates of its
own, these must pass then, and a session works on it if they fail.

States:
  pending      open: ready, or blocked by a task that it needs
  in_progress  a session is working on it
  parked       waits for your answer: ralphctl task answer ID TEXT
  done         verified, or done without a gate
  failed       no attempts left: ralphctl task reset ID opens it again
  dropped      will not be done; tasks that need it can continue

Where tasks come from:
  by hand      ralphctl task add TITLE --needs ID --acceptance TEXT
  plan files   IMPLEMENTATION_PLAN.md (check boxes), tasks.md of a change,
               PROGRESS.yaml of a sprint, prd.json if plan names it; read before
               and after each iteration, and proven tasks are marked in them
  agents       while planning, or in a session with ralphctl task add
  import       ralphctl task import FILE

To look at tasks: ralphctl task list, task ready, task tree, task graph and
task show ID. A unique prefix of an id is enough.
`;
