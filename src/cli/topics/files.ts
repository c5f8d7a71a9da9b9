export const files = `Files: what is where

Committed:
  .ralph/config.yaml           settings: ralphctl config get
  .ralph/config.schema.json    for editors
  .ralph/specs/                what you want: ralphctl help specs
  PROMPT_plan.md               how to plan; {specs} and {plan} are filled in
  PROMPT_build.md              how to work on a task
  IMPLEMENTATION_PLAN.md       the plan; each check box is a task
  .claude/workflows/           workflows of sprints; also .ralph/workflows/
  projects/NAME/               specs, plan and prompts of a project

Not committed, created by runs:
  .ralph/ralph.db              tasks; for git, use ralphctl task export
  .ralph/context/              context from ralphctl context add
  .ralph/runs/RUN/events.ndjson          everything that happened
  .ralph/runs/RUN/ITERATION/prompt.md    the prompt
                         .../system.md   the system prompt
               .../transcript.ndjson     the agent's output, byte for byte
                     .../result.json     the result
                          .../gates/     the output of the gates
                    .../change.patch     the change

In the git directory:
  a copy of the tasks, used if .ralph/ is deleted
  refs/ralph/target/   proven work, which your branches follow
  refs/ralph/work/     unproven work of open tasks
  refs/ralph/RUN/      shelved work
`;
