/** `ralphctl help hooks`. */
export const hooks = `Hooks: what runs beside the loop

A hook is told what happens. It never changes a verdict, a task or the exit
code: that is what gates are for (ralphctl help gates).

  hooks:
    - { id: push, on: task-done, run: git push }
    - { use: notify }

Points (on, one or a list; default iteration-end):
  run-start        iteration-start   iteration-end   task-done
  task-failed      needs-human       limit           run-end

What it does, exactly one of:
  run        a shell command; what it changes in tracked files is put back
  prompt     a session of the agent in a throw-away checkout
  workflow   a file of the workflows folders
  use        one that is shipped: notify (desktop), webhook (Slack and the like,
             with url), learning (proposes a patch for AGENTS.md)

A command finds the event as JSON on its standard input, and these variables:
RALPHCTL_HOOK, RALPHCTL_HOOK_POINT, RALPHCTL_HOOK_TEXT, RALPHCTL_HOOK_OUTCOME,
RALPHCTL_HOOK_COMMIT, RALPHCTL_HOOK_FOLDER, RALPHCTL_TASK, RALPHCTL_TASK_TITLE.

parallel: true does not wait for it, enabled: false keeps it in the file,
timeout is the longest that it may take (limits.hook).
`;
