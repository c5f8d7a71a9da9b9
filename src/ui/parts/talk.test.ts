import { h } from "preact";
import { render } from "preact-render-to-string";
import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../domain/agent-event.ts";
import { Markdown } from "./markdown.tsx";
import { Talk, talkItems } from "./talk.tsx";

const HOSTILE = `<script>alert(1)</script>\u001b[31mred\u202egnp`;
const markdown = (text: string): string =>
  render(h(Markdown, { text })).replace(/^<div class="markdown">(.*)<\/div>$/s, "$1");

describe("U-06 Markdown is text", () => {
  test("headings, lists, code and emphasis look like what they are", () => {
    expect(
      markdown("# Why\n\nOne **two** *three*\nfour `a*b*`\n\n- a\n- b\n\n1. x\n\n> said\n\n```ts\n<b>\n```\nend"),
    ).toBe(
      '<h4 dir="auto">Why</h4><p dir="auto">One <strong>two</strong> <em>three</em>\nfour <code>a*b*</code></p>' +
        '<ul><li dir="auto">a</li><li dir="auto">b</li></ul><ol><li dir="auto">x</li></ol>' +
        '<blockquote dir="auto">said</blockquote><pre>&lt;b></pre><p dir="auto">end</p>',
    );
  });

  test("U-06 links lead to the web only, and say nothing there", () => {
    const link = '<a href="https://example.com/x" rel="noopener noreferrer" target="_blank">';
    expect(markdown("[a](https://example.com/x) https://example.com/x.")).toBe(
      `<p dir="auto">${link}a</a> ${link}https://example.com/x</a>.</p>`,
    );
    for (const to of [
      "javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      "data:text/html,x",
      "file:///etc/passwd",
      "//x",
      " https://x",
    ]) {
      expect(markdown(`[a](${to})`)).not.toContain("<a");
    }
    expect(markdown('[a](https://x"onclick="alert)')).not.toMatch(/<a[^>]*onclick="/);
  });

  test("U-06 HTML and control sequences are nothing but characters", () => {
    for (const text of [
      HOSTILE,
      `# ${HOSTILE}`,
      `- ${HOSTILE}`,
      `\`${HOSTILE}\``,
      `\`\`\`\n${HOSTILE}`,
      `> ${HOSTILE}`,
    ]) {
      const shown = markdown(text);
      expect(shown).toContain("&lt;script>");
      expect(shown).not.toMatch(/<script|\u001b|\u202e|\[31m/);
    }
  });

  test("a text made to take long takes no longer than its length", () => {
    for (const text of [
      "*".repeat(50_000),
      "[".repeat(50_000),
      "`a".repeat(50_000),
      "_a ".repeat(50_000),
      "**a".repeat(30_000),
    ]) {
      expect(markdown(text).length).toBeGreaterThan(1000);
    }
  });
});

describe("a transcript", () => {
  const events: readonly AgentEvent[] = [
    { type: "agent.session", model: "opus" },
    { type: "agent.text", text: "I look ", block: "1" },
    { type: "agent.text", text: "around", block: "1" },
    { type: "agent.thinking", text: "Hm" },
    { type: "agent.tool", id: "a", name: "Bash", input: "ls" },
    { type: "agent.tool", id: "b", name: "Read", input: "x", parent: "a" },
    { type: "agent.tool-result", id: "a", ok: false, output: HOSTILE },
    { type: "agent.usage", input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    { type: "agent.ended", outcome: { kind: "aborted" } },
  ];

  test("pieces of a text are one, and a result is with its tool", () => {
    expect(talkItems(events)).toEqual([
      { kind: "said", text: "I look around", isInner: false },
      { kind: "thought", text: "Hm", isInner: false },
      { kind: "tool", name: "Bash", input: "ls", result: { ok: false, output: HOSTILE }, isInner: false },
      { kind: "tool", name: "Read", input: "x", result: undefined, isInner: true },
      { kind: "told", text: "The session was stopped", isInner: false },
    ]);
  });

  test("U-06 what was thought and printed is folded, and text", () => {
    const [, thought, tool] = talkItems(events).map((item) => render(h(Talk, { item })));
    expect(thought).toMatch(/^<details class="thought"><summary>Thinking, 1 line/);
    expect(tool).toMatch(/^<details class="tool"><summary><span class="bad">/);
    expect(tool).toContain("<pre>&lt;script>");
    expect(tool).not.toMatch(/<script|\u001b|\u202e/);
  });
});
