export const limits = `Limits: time, money, attempts

  limits.iterations    --max-iterations   default: 3 per task at start + 20;
                                          10 for words or a file; 3 to plan;
                                          0 or unlimited: none
  limits.time          --max-time         30m, 8h; default: none
  limits.cost          --max-cost         US dollars; default: none
  limits.tokens        --max-tokens       default: none
  limits.attempts      --max-attempts     3; then the task fails
  limits.errors        --error-threshold  5 harness errors in a row
  limits.noProgress                       3 iterations; then the task is parked
  limits.inactivity    --timeout          15m without output; ends the session
  limits.attempt                          2h for one session
  limits.gate                             10m for one gate
  limits.wait          --max-wait         12h of waiting for a usage limit

A run that reaches a limit with work left exits with 4. The next run continues
there: proven work has landed, and unproven work is kept:
ralphctl lanes take TASK brings it into your tree.

A usage limit of your account is not a failure: the run waits until it ends, and
no attempt counts. ralphctl resume ends the wait. In CI, a run waits only if
limits.wait is set.

Cost includes everything that starts an agent, also reviewers and hooks. It is
what the agent reports, or the list price of its tokens. If neither is known,
--max-cost is refused.
`;
