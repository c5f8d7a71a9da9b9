export const lanes = `Lanes: where agents work

An agent works in a lane, a clone of your repository beside it. You can go on
working in your tree: uncommitted changes are no part of a run. Specs, prompt
files and plan files are, as they are in your tree.

Gates run in the room, a checkout that no agent enters. Work that they prove
lands as one commit on refs/ralph/target/BRANCH, and your branch follows.

  ralphctl lanes             lanes, unproven work by task, and what was saved
  ralphctl land              let your branch follow again
  ralphctl lanes take TASK   unproven work into your tree, uncommitted
  ralphctl lanes drop TASK   let the next session begin without it
  ralphctl lanes open N      the command that changes to a lane's folder
  ralphctl lanes rm N, gc    free the disk; what only a lane has is saved first

With --lanes N (lanes.count) N agents work at once, each on its own task. Work
that conflicts with what landed meanwhile goes back to its task.

A lane gets its dependencies by lanes.setup (default: by your lock file), and
copies of ignored files that .worktreeinclude names. The room keeps ignored
files that match lanes.keep. lanes.folder says where lanes are.

For what cannot be cloned: with --in-place (lanes.inPlace) agents work in your
own tree, which must be clean.
`;
