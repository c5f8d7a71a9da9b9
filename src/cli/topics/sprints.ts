/** `ralphctl help sprints`. */
export const sprints = `Sprints: goals, or phases in sequence

A sprint is a folder with SPRINT.yaml:

  workflow: ralph        # .claude/workflows/ralph.yaml
  goal: Users can log in.

  ralphctl sprint start sprints/login      checks the files, makes the tasks
  ralphctl run --sprint sprints/login      works on them
  ralphctl sprint status sprints/login     how far it is
  ralphctl sprint stop sprints/login       stops the run

With a goal (mode: ralph in the workflow) agents plan the steps themselves:
  planning     no step is pending: the agent adds those that are missing
  executing    a step is pending: the agent does this one
  reflecting   3 iterations in a row (sprint.idleThreshold) found no step to
               add: the agent compares the goal with what is there

The sprint is complete when the agent says RALPH_COMPLETE: summary, no step is
pending or failed, and all gates pass.

With phases (phases in the workflow) each phase waits for the one before it and
may have a gate of its own.

Steps are in PROGRESS.yaml, which you may edit while the run goes on, or add to:
  ralphctl task add --sprint sprints/login "Lock after ten wrong passwords"
`;
