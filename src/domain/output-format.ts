/** Output formats of the `command` harness: plain text, or the lines of a known CLI. */
export const OUTPUT_FORMATS = [
  "text",
  "claude-stream-json",
  "codex-json",
  "opencode-json",
  "gemini-stream-json",
  "pi-json",
  "copilot-json",
  "qwen-stream-json",
] as const;

export type OutputFormat = (typeof OUTPUT_FORMATS)[number];
