import type { AgentOutcome, Usage } from "./agent-event.ts";

/** What a scripted agent plays: sessions, each a list of steps. */
export interface Script {
  readonly sessions: readonly ScriptSession[];
}

export interface ScriptSession {
  /** Without it, sessions are played in order, one per iteration, and the last one again and again. */
  readonly when?: ScriptCondition;
  readonly steps: readonly ScriptStep[];
}

export interface ScriptCondition {
  /** Id of the assigned task; `*` stands for any signs. */
  readonly task?: string;
  /** Title of the assigned task; `*` stands for any signs. */
  readonly title?: string;
  readonly iteration?: number;
  /** A text that the prompt contains. */
  readonly prompt?: string;
}

/** Exactly one thing to do. */
export type ScriptStep = { readonly [Name in keyof StepValues]: Readonly<Record<Name, StepValues[Name]>> }[StepName];

export type StepName = keyof StepValues;

export interface StepValues {
  readonly say: string;
  readonly think: string;
  readonly tool: { readonly name: string; readonly input?: string };
  readonly toolResult: { readonly ok?: boolean; readonly output?: string };
  readonly write: { readonly path: string; readonly text: string };
  readonly append: { readonly path: string; readonly text: string };
  readonly delete: string;
  /** A shell command. */
  readonly run: string;
  /** All that changed, under this message. */
  readonly commit: string;
  readonly delayMs: number;
  readonly usage: Partial<Usage>;
  readonly cost: number;
  /** Bytes as they are, on standard output. */
  readonly raw: string | { readonly base64: string };
  readonly stderr: string;
  /** Signals that do nothing from here on. */
  readonly ignore: readonly string[];
  /** The result; without one, and without an exit of its own, a session ends with `done`. */
  readonly end: ScriptedEnd;
  readonly exit: number;
  /** The signal by which it ends itself. */
  readonly signal: string;
  readonly hang: true;
}

/** An outcome by its kind, or in full. `resetsInMs` is counted from the moment when it is played. */
export type ScriptedEnd =
  | AgentOutcome["kind"]
  | { readonly kind: AgentOutcome["kind"]; readonly [key: string]: unknown };

/** The facts that select a scripted session. */
export interface ScriptCircumstances {
  readonly task: string;
  readonly iteration: number;
  readonly prompt: string;
}

/**
 * The session to play: the first whose condition holds; else, of those without one, the one of this iteration's number.
 * Nothing is remembered between sessions, so that a script plays alike after a crash.
 */
export function chooseSession({ sessions }: Script, about: ScriptCircumstances): ScriptSession | undefined {
  const chosen = sessions.find(({ when }) => when !== undefined && holds(when, about));
  if (chosen !== undefined) return chosen;
  const inOrder = sessions.filter(({ when }) => when === undefined);
  return inOrder[Math.min(about.iteration, inOrder.length) - 1];
}

function holds(when: ScriptCondition, { task, iteration, prompt }: ScriptCircumstances): boolean {
  return (
    (when.task === undefined || fits(when.task, task)) &&
    (when.title === undefined || fits(when.title, titleIn(prompt))) &&
    (when.iteration === undefined || when.iteration === iteration) &&
    (when.prompt === undefined || prompt.includes(when.prompt))
  );
}

/** As the task context writes it. */
const titleIn = (prompt: string): string => /^\*\*Title:\*\* (.*)$/m.exec(prompt)?.[1] ?? "";

function fits(pattern: string, text: string): boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(text);
}

/** `{task}`, `{iteration}` and `{prompt}` in what a script says and writes. */
export const fillScript = (text: string, { task, iteration, prompt }: ScriptCircumstances): string =>
  text.replaceAll(/\{(task|iteration|prompt)\}/g, (_, name: string) =>
    name === "task" ? task : name === "iteration" ? String(iteration) : prompt,
  );
