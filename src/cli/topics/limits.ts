/** `ralphctl help limits`. */
export const limits = `Limits: what bounds a run

  limits.iterations    --max-iterations   default: 3 per task at start + 20;
                                          10 for words or a file; 3 to plan
  limits.time          --max-time         30m, 8h; default: none
  limits.cost          --max-cost         US dollars; default: none
  limits.tokens        --max-tokens       default: none
  limits.attempts      --max-attempts     3 before a task is failed
  limits.errors        --error-threshold  5 harness errors in a row
  limits.noProgress                       3 without progress park the task
  limits.inactivity    --timeout          15m without output end a session
  limits.attempt                          2h for one session
  limits.gate                             10m for one gate
  limits.wait          --max-wait         12h to wait for a usage limit

A run that ends at a limit with work left exits with 4. The next run goes on
where it stopped: what is verified is committed, what is not stays in the tree.

Usage limits of your account are no failure: the run waits until they end, and
nothing is counted. ralphctl resume ends the wait. In CI nothing waits unless
limits.wait is set.

Cost counts everything that starts an agent, reviewers and hooks too. It is what
the agent reports, or the list price of its tokens; --max-cost is refused where
neither is known.
`;
