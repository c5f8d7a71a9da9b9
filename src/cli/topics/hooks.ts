export const hooks = `Hooks: run something when something happens

Hooks only react. A hook can't change a verdict, a task or the exit code; use a
gate for that (ralphctl help gates).

  hooks:
    - { id: push, on: task-done, run: cd "$RALPHCTL_WORKSPACE" && git push }
    - { use: notify }

When (on: one point or a list; default iteration-end):
  run-start        iteration-start   iteration-end   task-done
  task-failed      needs-human       limit           run-end

What (exactly one):
  run        a shell command in the lane; $RALPHCTL_WORKSPACE is your own tree
  prompt     a session of the agent in a temporary clone
  workflow   a file in the workflows folders
  use        a built-in hook: notify (desktop), webhook (Slack and the like,
             with url), learning (proposes a patch for AGENTS.md)

A command gets the event as JSON on standard input, and these variables:
RALPHCTL_HOOK, RALPHCTL_HOOK_POINT, RALPHCTL_HOOK_TEXT, RALPHCTL_HOOK_LINK,
RALPHCTL_HOOK_OUTCOME, RALPHCTL_HOOK_COMMIT, RALPHCTL_HOOK_FOLDER,
RALPHCTL_TASK, RALPHCTL_TASK_TITLE.

Options:
  parallel: true   don't wait for it
  enabled: false   keep it in the file, but don't run it
  timeout: 5m      the longest it may take (default: limits.hook)
`;
