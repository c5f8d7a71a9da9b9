import { showPrompt } from "../../app/prompt.ts";
import { showSprintPrompt } from "../../app/sprint-prompt.ts";
import { RalphError } from "../../domain/error.ts";
import { type Section, textOf } from "../../domain/prompt/section.ts";
import { SPRINT_MODES, type SprintMode } from "../../domain/prompt/sprint.ts";
import { estimateTokens } from "../../domain/prompt/tokens.ts";
import type { Input } from "../command.ts";
import { countOption, scopeChoice, surroundings } from "../flags.ts";
import type { Io } from "../io.ts";

/** Shows exactly what an agent would be sent, and starts nothing. */
export async function run(input: Input, io: Io): Promise<void> {
  const mode = input.args[0] ?? "build";
  const view = isSprintMode(mode) ? await sprintView(mode, input, io) : await loopView(mode as LoopMode, input, io);
  for (const warning of view.warnings) io.err(`warning: ${warning}\n`);
  if (input.options["json"] === true) io.out(`${JSON.stringify(asJson(view), undefined, 2)}\n`);
  else if (input.options["quiet"] === true) io.out(`${textOf(view.sections)}\n`);
  else io.out(asText(view));
}

type LoopMode = "plan" | "build";

interface View {
  readonly mode: string;
  readonly system: string | undefined;
  readonly sections: readonly Section[];
  readonly warnings: readonly string[];
}

const isSprintMode = (mode: string): mode is SprintMode => (SPRINT_MODES as readonly string[]).includes(mode);

async function loopView(mode: LoopMode, input: Input, io: Io): Promise<View> {
  const scope = scopeChoice(input);
  if (scope.sprint !== undefined) {
    throw new RalphError("usage", `A sprint has no ${mode} prompt`, {
      hint: `Use one of its modes: ralphctl prompt ${SPRINT_MODES.join("|")} --sprint ${scope.sprint}`,
    });
  }
  const iteration = countOption(input, "iteration") ?? 1;
  return { mode, ...(await showPrompt({ mode, scope, iteration }, surroundings(input, io))) };
}

async function sprintView(mode: SprintMode, input: Input, io: Io): Promise<View> {
  const { sprint, ...others } = scopeChoice(input);
  if (sprint === undefined || Object.values(others).some((value) => value !== undefined)) {
    throw new RalphError("usage", `The ${mode} prompt is a sprint's, and no sprint was named`, {
      hint: `Run ralphctl prompt ${mode} --sprint DIR --iteration 1`,
    });
  }
  const iteration = countOption(input, "iteration") ?? 1;
  const text = await showSprintPrompt({ mode, directory: sprint, iteration }, surroundings(input, io));
  return { mode, system: undefined, sections: [{ name: "sprint", text }], warnings: [] };
}

const measured = (text: string): { bytes: number; tokens: number } => ({
  bytes: Buffer.byteLength(text),
  tokens: estimateTokens(text),
});

function asJson({ mode, system, sections, warnings }: View): unknown {
  const prompt = textOf(sections);
  return {
    version: 1,
    mode,
    warnings,
    system: system === undefined ? null : { text: system, ...measured(system) },
    prompt: {
      text: prompt,
      ...measured(prompt),
      sections: sections.map(({ name, text }) => ({ name, text, ...measured(text) })),
    },
  };
}

function asText({ system, sections }: View): string {
  // A sprint's prompt is one section, made to be piped into an agent: nothing is put around it.
  if (system === undefined) return `${textOf(sections)}\n`;
  const parts = [
    heading("system prompt", system),
    system,
    heading("prompt", textOf(sections)),
    ...sections.flatMap(({ name, text }) => [heading(`prompt: ${name}`, text), withoutBlankEnds(text)]),
  ];
  return `${parts.join("\n")}\n`;
}

/** Walks by hand: a text may be a million line breaks. */
function withoutBlankEnds(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === "\n") start += 1;
  while (end > start && text[end - 1] === "\n") end -= 1;
  return text.slice(start, end);
}

function heading(name: string, text: string): string {
  const { bytes, tokens } = measured(text);
  return `===== ${name} · ${grouped(bytes)} bytes · about ${grouped(tokens)} tokens =====`;
}

// By hand: the first call of toLocaleString takes 16 ms, a tenth of this command.
const grouped = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ",");
