import { expect, test } from "vitest";
import { includedBy, isInstructionFile, namedBySettings } from "./instruction-files.ts";

test("T-14 instruction files of agent CLIs are known by their names, in any folder", () => {
  const theirs = `CLAUDE.md packages/a/CLAUDE.md claude.md CLAUDE.local.md AGENTS.md AGENTS.override.md a/GEMINI.md QWEN.md
    .claude/settings.json a/.claude/commands/x.md .claude .codex/config.toml .cursorrules .cursor/rules/a.mdc
    .github/copilot-instructions.md .github/instructions/a.instructions.md opencode.json .opencode/agent/x.md .mcp.json
    CRUSH.md WARP.md .augment/rules/a.md .amazonq/rules/a.md .kilocode/rules/a.md .trae/rules/a.md .continue/rules/a.md`;
  const others = `README.md docs/claude.txt src/agents.md.ts MYCLAUDE.md .github/workflows/ci.yml claude/index.ts
    src/gemini.ts .gitignore .claudeignore`;
  const of = (text: string): string[] => text.trim().split(/\s+/);
  expect([of(theirs).filter((path) => !isInstructionFile(path)), of(others).filter(isInstructionFile)]).toEqual([
    [],
    [],
  ]);
});

test("T-14 files that settings name are instructions, too; of a pattern its folder", () => {
  const text = '{ "instructions": ["CONTRIBUTING.md", "docs/guides/*.md", "*.md"], "model": "a/b-1.5" }';
  expect(namedBySettings("opencode.json", text)).toEqual(["CONTRIBUTING.md", "docs/guides", ""]);
  expect(namedBySettings(".aider.conf.yml", "read: [CONVENTIONS.md]\n")).toEqual(["CONVENTIONS.md"]);
  expect(namedBySettings("AGENTS.md", "See docs/a.md\n")).toEqual([]);
});

test("T-14 files that they include are named by an at sign", () => {
  expect(includedBy("See @docs/rules.md, and @./style.md.\nMail me@example.com, not `@code`.\n@~/x")).toEqual([
    "docs/rules.md",
    "./style.md",
  ]);
});
