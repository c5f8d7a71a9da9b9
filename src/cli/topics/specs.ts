/** `ralphctl help specs`. */
export const specs = `Specs: what you want

Specs are texts of yours in a folder, one file per subject. The agent reads all
of them and is told never to change one. While it plans it may add specs; what
it changed in one is put back. Add them to verify.protect to have every session
rejected that changes one.

Where they are:
  the workspace   .ralph/specs, or what specs.dirs names
  a project       projects/NAME/specs
  a change        openspec/changes/ID/specs, and openspec/specs beside it

Specs without tasks: ralphctl run lets an agent plan first. It writes
IMPLEMENTATION_PLAN.md, each check box becomes a task, and the work begins.
ralphctl run plan only plans.

What holds up well:
  - say what must be true, not how to get there
  - give an example with exact input and output for each rule
  - name the command that shows it, so that a gate can prove it
  - say what is out of bounds: files, libraries, behaviour that must stay

What the agent is told:
  ralphctl prompt build       the prompt of the next iteration, in sections
  ralphctl run --dry-run      the same, with what would be started
`;
