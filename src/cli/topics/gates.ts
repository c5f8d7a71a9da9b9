export const gates = `Gates: what proves that work is done

An agent can only claim that a task is done. Then the gates run in a clean
checkout: commands that must exit with 0. If a gate fails, the claim is
rejected, and the next prompt of the task contains the output. After 3 attempts
(limits.attempts) the task fails, and its work is shelved under refs/ralph/.

Gates run in this order:
  1. gates of the task       ralphctl task add TITLE --gate "unit=npm test"
  2. gates of the workspace  gates in .ralph/config.yaml
  3. a gate for one run      ralphctl run --validation-command COMMAND
  4. the reviewer            verify.reviewer: another agent reviews the work

gates: auto (the default) detects:
  package.json   typecheck, lint, test and build, with your package manager
  Makefile       check, or else test
  others         cargo test, go test ./..., pytest

To choose your own, write a list; timeout and retries are optional:
  gates:
    - { id: test, run: npm test, timeout: 5m, retries: 1 }

A session that changes a gate, or a file in verify.protect, is rejected. Without
a gate, work is complete but unverified (exit code 5); with --strict, the run
does not start.

ralphctl verify runs the gates now and changes nothing.
`;
