/** What a program of one's own may print: words, or the lines of a CLI that is known. */
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
