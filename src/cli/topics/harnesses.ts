/** `ralphctl help harnesses`. */
export const harnesses = `Harnesses: which agent does the work

  claude     Claude Code          codex      Codex
  opencode   OpenCode             gemini     Gemini CLI
  pi         Pi                   copilot    GitHub Copilot CLI
  qwen       Qwen Code            command    any command line
  scripted   plays a script       replay     plays a recorded iteration

  harness: claude             in .ralph/config.yaml, or --harness claude
  harness: [claude, codex]    in order: the next takes over on a usage limit or
                              an outage

The program is looked for on PATH; you log in with the program itself, not with
ralphctl. Settings for each are under harnesses:
  harnesses:
    claude: { model: opus }
    command: { run: my-agent --batch, promptBy: stdin }

promptBy is stdin, file or argument; output says what a command prints.

Models: --model NAME for every iteration. models.strategy chooses otherwise:
  fixed               the same always (default)
  plan-then-execute   smart plans, fast builds
  cost-optimized      fast; smart after an attempt that was not verified
  escalate            fast, then the default, then smart, for the same task

Every session is a fresh one, and asks nobody for permission: use a machine or a
container where that is fine.
`;
