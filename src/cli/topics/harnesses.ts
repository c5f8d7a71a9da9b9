export const harnesses = `Harnesses: which agent does the work

  claude     Claude Code          codex      Codex
  opencode   OpenCode             gemini     Gemini CLI
  pi         Pi                   copilot    GitHub Copilot CLI
  qwen       Qwen Code            command    any command line
  acp        any agent that speaks the Agent Client Protocol
  scripted   follows a script     replay     replays a recorded iteration

  harness: claude             in .ralph/config.yaml, or --harness claude
  harness: [claude, codex]    the next takes over on a usage limit or an outage

The program must be on PATH. Log in with the program itself, not with ralphctl.
Settings go under harnesses:
  harnesses:
    claude: { model: opus }
    command: { run: my-agent --batch, promptBy: stdin }
    acp: { run: goose acp }
    cursor: { kind: acp, run: cursor-agent acp }    then --harness cursor

promptBy is stdin, file or argument; output is the format a command prints.

Models: --model NAME is used in every iteration, and is final. Or set
models.strategy:
  fixed               always the same (default)
  plan-then-execute   smart plans, fast builds
  cost-optimized      fast; smart after an attempt that was not verified
  escalate            fast, then the default, then smart, for the same task

Every session is a new one and asks for no permission: run it on a machine or in
a container where that is acceptable.
`;
