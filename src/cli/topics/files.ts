/** `ralphctl help files`. */
export const files = `Files: what is where

Committed:
  .ralph/config.yaml           settings: ralphctl config get
  .ralph/config.schema.json    for editors
  .ralph/specs/                what you want: ralphctl help specs
  PROMPT_plan.md               how to plan; {specs} and {plan} are filled in
  PROMPT_build.md              how to work on a task
  IMPLEMENTATION_PLAN.md       the plan; each check box is a task
  .claude/workflows/           workflows of sprints; .ralph/workflows/ too
  projects/NAME/               specs, plan and prompts of a project

Not committed, made by runs:
  .ralph/ralph.db              the tasks; ralphctl task export for git
  .ralph/context/              what was added with ralphctl context add
  .ralph/runs/RUN/events.ndjson          everything that happened
  .ralph/runs/RUN/ITERATION/prompt.md    what the agent was sent
                         .../system.md   how to work, sent beside it
               .../transcript.ndjson     what it printed, byte for byte
                     .../result.json     what came of it
                          .../gates/     what the gates printed
                    .../change.patch     what it changed

In the git directory: a copy of the tasks, from which they come back should
.ralph/ be deleted; and refs/ralph/ with work that was put aside.
`;
