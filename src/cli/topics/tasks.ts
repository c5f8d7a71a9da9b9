/** `ralphctl help tasks`. */
export const tasks = `Tasks: what is to be done

A task is small enough for a few agent sessions. Tasks wait for others and are
parts of others; the loop takes those that are ready, lower priority numbers
first.

States:
  pending      to be done; ready, or blocked by what it needs
  in_progress  a session works on it now
  parked       waits for the answer to a question: ralphctl task answer ID TEXT
  done         verified, or done without a gate
  failed       its attempts are used up: ralphctl task reset ID opens it again
  dropped      not to be done; what needs it goes on

Where they come from:
  by hand      ralphctl task add TITLE --needs ID --acceptance TEXT
  plan files   IMPLEMENTATION_PLAN.md (check boxes), tasks.md of a change,
               PROGRESS.yaml of a sprint, prd.json if plan names it: followed
               before and after each iteration; proven tasks are marked there
  agents       while they plan, or in a session with ralphctl task add
  import       ralphctl task import FILE

Look at them with ralphctl task list, task ready, task tree, task graph and
task show ID. The beginning of an id is enough.
`;
