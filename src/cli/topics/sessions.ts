export const sessions = `Sessions: what an agent may do

Each iteration is a new session of the agent, with one task. The agent ends it
with a claim in its final message, on its own line:

  <task-done>ID</task-done>         the gates check it; then it is committed
  <task-failed>ID</task-failed>     counts as an attempt
  <promise>COMPLETE</promise>       beside task-done: every task is done; alone:
                                    the assigned task is done
  <promise>FAILURE</promise>        nothing can help: the run ends

Inside a session the PATH contains ralphctl. Everything that an agent starts is
inside, also without the variables. Only these commands work; all others exit
with 64:

  ralphctl task list, show, ready, tree, log, add
  ralphctl task done, fail, park      the assigned task only; a claim, no proof
  ralphctl context show, ralphctl prompt, ralphctl mcp, ralphctl help

The run itself answers them, in whichever folder the agent is; they exit with 69
when it has ended.

If an agent changes tasks in any other way, the change is reverted after the
session, and the agent is told. When a session ends, so do all its processes.

To see what happened:
  ralphctl inspect, logs -f, report   why, line by line, or as a page
  .ralph/runs/RUN/ITERATION/          prompt.md, transcript.ndjson, result.json,
                                      gates/, change.patch

To tell the next session something: ralphctl context add TEXT
To work in a session yourself: ralphctl step
To stop: Ctrl-C, or ralphctl stop in another terminal
`;
