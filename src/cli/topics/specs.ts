export const specs = `Specs: what you want

A spec is a text file of yours, one per subject. Agents read all specs and are
told not to change them. A planning session may add specs, but its changes to
existing ones are reverted. To reject every session that changes a spec, add the
folder to verify.protect.

Where they are:
  the workspace   .ralph/specs, or the folders in specs.dirs
  a project       projects/NAME/specs
  a change        openspec/changes/ID/specs and openspec/specs

If there are specs but no tasks, ralphctl run plans first: the agent writes
IMPLEMENTATION_PLAN.md, each check box becomes a task, and the work begins.
ralphctl run plan only plans.

How to write a good spec:
  - say what must be true, not how to get there
  - give an example with exact input and output for each rule
  - name the command that shows it, so that a gate can prove it
  - say what must not change: files, libraries, behaviour

To see what the agent gets:
  ralphctl prompt build       the prompt of the next iteration, in sections
  ralphctl run --dry-run      the same, and the commands that would start
`;
