/** `ralphctl help sessions`. */
export const sessions = `Sessions: what an agent may do

Each iteration is a new session of the agent, with one task. It ends with a
claim in its final message, on a line of its own:

  <task-done>ID</task-done>         checked by the gates, then committed
  <task-failed>ID</task-failed>     counts as an attempt
  <promise>COMPLETE</promise>       the same as task-done for the assigned task
  <promise>FAILURE</promise>        nothing could help: the run ends

Inside a session (RALPHCTL_ATTEMPT is set) its PATH leads to ralphctl, of which
only these work; everything else ends with 64:

  ralphctl task list, show, ready, tree, log, add
  ralphctl task done, fail, park      for the assigned task; only a claim
  ralphctl context show, ralphctl prompt, ralphctl mcp, ralphctl help

What reaches the tasks by another way is undone after the session, and the agent
is told. When a session ends, all of its processes are ended.

What happened:
  ralphctl inspect, logs -f, report   why, line by line, or as a page
  .ralph/runs/RUN/ITERATION/          prompt.md, transcript.ndjson, result.json,
                                      gates/, change.patch

To say something to the next session: ralphctl context add TEXT
To work in one yourself: ralphctl step
To stop: Ctrl-C, or ralphctl stop in another terminal
`;
