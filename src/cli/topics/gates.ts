/** `ralphctl help gates`. */
export const gates = `Gates: what proves that work is done

An agent can only claim that a task is done. Then the gates run: commands that
must exit with 0. One that does not rejects the claim; its output is in the next
prompt of the task. After 3 attempts (limits.attempts) the task has failed, its
work is kept under refs/ralph/, and the tree goes back.

In this order:
  1. gates of the task           ralphctl task add TITLE --gate "unit=npm test"
  2. gates of the workspace      gates in .ralph/config.yaml
  3. the one of the command line ralphctl run --validation-command COMMAND
  4. the reviewer                verify.reviewer: another agent reads the work

gates: auto (the default) takes what the repository has:
  package.json   typecheck, lint, test and build, by your package manager
  Makefile       check, or else test
  others         cargo test, go test ./..., pytest

A list names them instead, and may give each a timeout and retries:
  gates:
    - { id: test, run: npm test, timeout: 5m, retries: 1 }

A session that changes a gate, or a file of verify.protect, is rejected. Without
any gate the work is complete but unverified, which is exit code 5; --strict
does not even start.

ralphctl verify runs the gates now and changes nothing.
`;
