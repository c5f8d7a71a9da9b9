export const environment = `Environment: variables

To set any configuration key, use RALPHCTL_ and its name in capitals, with _ for
each dot. Flags override variables, and variables override files.
  RALPHCTL_HARNESS=codex
  RALPHCTL_LIMITS_COST=5
  RALPHCTL_HARNESSES_CLAUDE_MODEL=opus
An unknown variable is an error. ralphctl config get KEY shows where a value
comes from.

Set for agents, gates and hooks:
  RALPHCTL_RUN          the run
  RALPHCTL_SCOPE        workspace, project/NAME, change/ID or sprint/NAME
  RALPHCTL_WORKSPACE    the workspace in the lane or the room; for hooks, yours
  RALPHCTL_LANE         the number of the lane, or room
  RALPHCTL_PORT         the first of 100 ports of the lane
  RALPHCTL_TASK         the id of the task
  RALPHCTL_TASK_TITLE   the title of the task
  RALPHCTL_ITERATION    the number of the iteration
  RALPHCTL_ATTEMPT      agents only: they run inside a session
  RALPHCTL_DOOR         agents only: the socket by which commands reach the run
  RALPHCTL_MODEL        harness command only: the model
  RALPHCTL_PROMPT       harness command with step: a file with the prompt
  RALPHCTL_MARKER       identifies all processes of a session

Read by ralphctl:
  CI                if set: ask no questions, don't wait for usage limits
  NO_COLOR          if set: no colours
  XDG_CONFIG_HOME   where your own settings are: ralphctl/config.yaml
  XDG_STATE_HOME    where lanes and your trust are remembered: ralphctl/
  RALPHCTL_TRUST    1: trust the programs and settings of the repository's files
  RALPHCTL_FLEET_URL  the database of a fleet; lanes do not get it
  PATH              where to find agents

If a variable's name looks secret (KEY, TOKEN, PASSWORD and the like), the files
of a run contain its name in place of its value.
`;
