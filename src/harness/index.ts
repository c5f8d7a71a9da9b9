// One line per harness. The export name is what users type in the configuration and on the command line.
export { claude } from "./claude.ts";
export { codex } from "./codex.ts";
export { opencode } from "./opencode.ts";
export { gemini } from "./gemini.ts";
export { pi } from "./pi.ts";
export { copilot } from "./copilot.ts";
export { qwen } from "./qwen.ts";
export { acp } from "./acp.ts";
export { command } from "./command.ts";
export { replay } from "./replay.ts";
export { scripted } from "./scripted.ts";
