import { printWarnings } from "./flags.ts";
import { type Section, textOf } from "../domain/prompt/section.ts";
import { estimateTokens } from "../domain/prompt/tokens.ts";
import type { Input } from "./command.ts";
import type { Io } from "./io.ts";
import { isJson, printJson } from "./json.ts";
import type { FirstStart } from "../app/run/dry-run.ts";
import { firstStartJson, firstStartLines } from "../format/first-start.ts";
import { formatNumber } from "../format/run-text.ts";

/** The prompt that an agent would get. */
export interface SentView {
  readonly mode: string;
  readonly system: string | undefined;
  readonly sections: readonly Section[];
  readonly warnings: readonly string[];
  /** What would start, where something would. */
  readonly first?: FirstStart;
}

/** Prints the prompt as JSON, alone, or with headings. */
export function printPrompt(view: SentView, input: Input, io: Io): void {
  printWarnings(io, view.warnings);
  if (isJson(input)) printJson(io, asJson(view));
  else if (input.options["quiet"] === true) io.out(`${textOf(view.sections)}\n`);
  else io.out(asText(view));
}

const measured = (text: string): { bytes: number; tokens: number } => ({
  bytes: Buffer.byteLength(text),
  tokens: estimateTokens(text),
});

function asJson({ mode, system, sections, warnings, first }: SentView): unknown {
  const prompt = textOf(sections);
  return {
    version: 1,
    mode,
    warnings,
    ...(first !== undefined && { start: firstStartJson(first) }),
    system: system === undefined ? null : { text: system, ...measured(system) },
    prompt: {
      text: prompt,
      ...measured(prompt),
      sections: sections.map(({ name, text }) => ({ name, text, ...measured(text) })),
    },
  };
}

function asText({ system, sections, first }: SentView): string {
  // A sprint's prompt is made to be piped into an agent: no headings.
  if (system === undefined) return `${textOf(sections)}\n`;
  const parts = [
    ...(first === undefined ? [] : ["===== what would start =====", ...firstStartLines(first)]),
    heading("system prompt", system),
    system,
    heading("prompt", textOf(sections)),
    ...sections.flatMap(({ name, text }) => [heading(`prompt: ${name}`, text), withoutBlankEnds(text)]),
  ];
  return `${parts.join("\n")}\n`;
}

/** A loop, not a regex: a text may be a million line breaks. */
function withoutBlankEnds(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === "\n") start += 1;
  while (end > start && text[end - 1] === "\n") end -= 1;
  return text.slice(start, end);
}

function heading(name: string, text: string): string {
  const { bytes, tokens } = measured(text);
  return `===== ${name} · ${formatNumber(bytes)} bytes · about ${formatNumber(tokens)} tokens =====`;
}
