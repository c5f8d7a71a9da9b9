export const gates = `Gates: what proves that work is done

An agent can only claim that a task is done. Then the gates run in a clean
checkout: commands that must exit with 0. If a gate fails, the claim is
rejected, and the next prompt of the task contains the output. After 3 attempts
(limits.attempts) the task fails, and its work is shelved under refs/ralph/.

Gates run in this order:
  1. gates of the task       ralphctl task add TITLE --gate "NAME=COMMAND"
  2. gates of the workspace  gates in .ralph/config.yaml
  3. a gate for one run      ralphctl run --validation-command COMMAND
  4. the reviewer            verify.reviewer: another agent reviews the work

gates: auto (the default) finds what you and your CI run yourselves:
  package.json   typecheck, lint, format:check, check, test and build, or their
                 siblings, with your package manager, in all packages
  Makefile       check, or else test; lint and typecheck beside it
  others         Rust, Go, Python, Java, Kotlin, PHP, Ruby, Elixir, .NET, Deno,
                 Swift, Zig, CMake, autotools: what their users type
Scripts that change files or never end are left out, or run as a check.

To choose your own, write a list; timeout and retries are optional:
  gates:
    - { id: test, run: COMMAND, timeout: 5m, retries: 1 }

Gates that an agent wrote can reject, but verify nothing until you approve them:
ralphctl gates approve
A session that changes a gate, or a file in verify.protect, is rejected.

How strong the proof of a done task is:
  proven    a check failed without the work and passes with it, or the reviewer
            passed it
  unbroken  your checks still pass; none of them spoke of this task
  look      tests or configuration changed, or no check of yours ran: code 5
            until you approve it (ralphctl task approve ID, run --accept-look)
With --strict, a run does not start without a gate, and asks for proven work.

ralphctl verify runs the gates now and changes nothing. ralphctl verify --all
also runs the gates of every done task, and finds the commit that broke one.
ralphctl gates shows where each was found, what was left out, and what decides.
`;
