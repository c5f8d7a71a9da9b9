/** `ralphctl help scopes`. */
export const scopes = `Scopes: what a run is about

A scope has tasks, plan file, prompts, specs and context of its own.

  workspace   without a flag: the repository with its .ralph/ folder
  project     --project NAME   projects/NAME/, made by
                               ralphctl init --project NAME
  change      --change ID      a proposal and its tasks in openspec/, .ito/,
                               .spool/ or .ralph/ (layouts); the beginning, the
                               number or the slug of the id is enough
  sprint      --sprint DIR     a folder with SPRINT.yaml
                               (ralphctl help sprints)
  module      --module ID      no scope: adds its text, alone or to a change

The flags work the same with run, step, prompt, context, verify, task, status,
inspect, logs and report. One of the first three at a time.

  ralphctl project list              what there is to do in each
  ralphctl change list
  ralphctl run --project auth-system
  ralphctl run --continue-ready      all changes that are ready, one by one

A task may need one of another scope. Two scopes at the same time need two git
worktrees; they share one store of tasks.
`;
