/** `ralphctl help environment`. */
export const environment = `Environment: variables

Every key of the configuration may be set by RALPHCTL_ and its name in capitals,
with _ for each dot. A flag is stronger, a file is weaker.
  RALPHCTL_HARNESS=codex
  RALPHCTL_LIMITS_COST=5
  RALPHCTL_HARNESSES_CLAUDE_MODEL=opus
An unknown one is an error. ralphctl config get KEY tells where a value is from.

What agents, gates and hooks find:
  RALPHCTL_RUN          the run
  RALPHCTL_SCOPE        workspace, project/NAME, change/ID or sprint/NAME
  RALPHCTL_WORKSPACE    the folder of the workspace
  RALPHCTL_TASK         the id of the task
  RALPHCTL_TASK_TITLE   its title
  RALPHCTL_ITERATION    the number of the iteration
  RALPHCTL_ATTEMPT      agents only: they are inside a session
  RALPHCTL_MODEL        the harness command only: the model
  RALPHCTL_PROMPT       the same with ralphctl step: a file with the prompt
  RALPHCTL_MARKER       by which all processes of a session are found again

What is looked at:
  CI                set: asks nobody anything, and waits for no usage limit
  NO_COLOR          set: no colours
  XDG_CONFIG_HOME   your own settings: ralphctl/config.yaml in it
  PATH              where agents are found

Values of variables whose names look secret (KEY, TOKEN, PASSWORD and the like)
are replaced by the names in everything that is recorded of a run.
`;
