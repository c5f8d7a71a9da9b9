export const scopes = `Scopes: what a run works on

A scope has its own tasks, plan file, prompts, specs and context.

  workspace   without a flag: the repository with its .ralph/ folder
  project     --project NAME   projects/NAME/, created by
                               ralphctl init --project NAME
  change      --change ID      a proposal and its tasks in openspec/, .ito/,
                               .spool/ or .ralph/, or a feature of spec-kit
                               in specs/ (layouts); a prefix, the number or
                               the slug of the id is enough
  sprint      --sprint DIR     a folder with SPRINT.yaml
                               (ralphctl help sprints)
  module      --module ID      not a scope: adds its text, alone or to a change

The flags work with run, step, prompt, context, verify, task, status, inspect,
logs and report. Use only one of the first three at a time.

  ralphctl project list              projects and their open work
  ralphctl change list               changes and their open work
  ralphctl run --project auth-system
  ralphctl run --continue-ready      all ready changes; with --lanes N at once

A task may need a task of another scope. To run two scopes at the same time, use
two git worktrees; they share one store of tasks.
`;
