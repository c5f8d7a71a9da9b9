export const sprints = `Sprints: a goal, or phases in sequence

A sprint is a folder with SPRINT.yaml:

  workflow: ralph        # .claude/workflows/ralph.yaml
  goal: Users can log in.

  ralphctl sprint start sprints/login      check the files, create the tasks
  ralphctl run --sprint sprints/login      work on them
  ralphctl sprint status sprints/login     show progress
  ralphctl sprint stop sprints/login       stop the run

With a goal (mode: ralph in the workflow), agents plan the steps themselves:
  planning     no step is pending: the agent adds the missing steps
  executing    a step is pending: the agent does this one
  reflecting   3 iterations in a row (sprint.idleThreshold) added no step: the
               agent compares the goal with the repository

The sprint is complete when the agent says RALPH_COMPLETE: summary, no step is
pending or failed, and all gates pass.

With phases (phases in the workflow), each phase waits for the one before it and
may have its own gate.

PROGRESS.yaml lists the steps. Edit it at any time, even during a run, or use:
  ralphctl task add --sprint sprints/login "Lock after ten wrong passwords"
`;
