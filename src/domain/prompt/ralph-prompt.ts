import { RalphError } from "../error.ts";
import { fill } from "./fill.ts";
import { foreignText } from "./foreign-text.ts";
import { contextSections, type PreambleOptions, standalonePreamble, wrappedSections } from "./preamble.ts";
import { merged, type Section, separated, trimmed } from "./section.ts";

/** The order of preamble and task. */
export type PromptLayout = "wrapped" | "preamble-first";

/** A document that belongs to the scope, under its canonical id. */
export interface ScopeDocument {
  readonly id: string;
  readonly text: string;
}

export interface PromptParts extends Omit<PreambleOptions, "task" | "iteration" | "completionPromise"> {
  readonly iteration?: number | undefined;
  readonly completionPromise?: string | undefined;
  readonly change?: ScopeDocument | undefined;
  readonly module?: ScopeDocument | undefined;
  /** The user prompt and what follows it, in order. The first is there even when empty. */
  readonly body: readonly Section[];
  readonly layout?: PromptLayout | undefined;
  /** A preamble of the user's own, in place of ours. */
  readonly template?: string | undefined;
  /** False for a harness whose own instructions would contradict ours. Context and failure stay. */
  readonly preamble?: boolean | undefined;
}

/** The prompt of one iteration as sections. Without an iteration: the task alone. */
export function assemblePrompt(parts: PromptParts): Section[] {
  const task = taskSections(parts);
  if (parts.iteration === undefined) return separated(task);
  const options = { ...parts, iteration: parts.iteration, completionPromise: parts.completionPromise ?? "COMPLETE" };
  if (parts.preamble === false) return trimmed(separated([...contextSections(options), ...task]));
  if (parts.template !== undefined) return trimmed(templateSections(parts.template, options, task));
  if (parts.layout === "preamble-first") {
    const preamble = { name: "preamble", text: standalonePreamble(options) };
    return trimmed(separated([preamble, ...contextSections(options), ...task]));
  }
  return trimmed(merged(wrappedSections(options, separated(task))));
}

function taskSections({ change, module, body }: PromptParts): Section[] {
  const [prompt = { name: "prompt", text: "" }, ...rest] = body;
  return [
    ...(change ? [{ name: "change", text: `## Change Proposal (${change.id})\n\n${foreignText(change.text)}` }] : []),
    ...(module ? [{ name: "module", text: `## Module (${module.id})\n\n${foreignText(module.text)}` }] : []),
    prompt,
    ...rest.filter((section) => section.text.trim() !== ""),
  ];
}

/** The words that a preamble template may use; `{task}` must be among them. */
const TEMPLATE_WORDS = ["iteration", "max", "min", "promise", "context", "validation", "task"] as const;

function templateSections(
  template: string,
  options: Omit<PreambleOptions, "task">,
  task: readonly Section[],
): Section[] {
  // The task is cut in, not filled in, so that its sections stay visible.
  const pieces = template.split(unescaped("task"));
  if (pieces.length === 1) {
    throw new RalphError("data", "The preamble template has no {task}, so the agent would never see its task", {
      hint: `Put {task} on a line of its own; the other words are ${TEMPLATE_WORDS.map((word) => `{${word}}`).join(" ")}`,
    });
  }
  const extra = contextSections(options);
  const values = new Map<string, () => string | undefined>([
    ["iteration", () => String(options.iteration)],
    ["max", () => (options.maxIterations ? String(options.maxIterations) : "unlimited")],
    ["min", () => String(options.minIterations ?? 1)],
    ["promise", () => options.completionPromise],
    ["context", () => extra.find(({ name }) => name === "context")?.text ?? ""],
    ["validation", () => extra.find(({ name }) => name === "validation-failure")?.text ?? ""],
    ["task", () => undefined],
  ]);
  // Sections that a template does not mention go before the task: the user's context must never be lost.
  const unmentioned = extra.filter(({ name }) => !unescaped(TEMPLATE_WORD_OF[name]!).test(template));
  const first = separated([...unmentioned, ...task]);
  return pieces.flatMap((piece, index) => {
    const preamble = [{ name: "preamble", text: fill(piece, values) }];
    return index === 0 ? preamble : (index === 1 ? first : separated(task)).concat(preamble);
  });
}

const TEMPLATE_WORD_OF: Readonly<Record<string, string>> = { context: "context", "validation-failure": "validation" };

const unescaped = (word: string): RegExp => new RegExp(`(?<!\\\\)\\{${word}\\}`);
