import { foreignText, foreignLine } from "./foreign-text.ts";

/** One phase of a sprint that goes through a list of them. */
export interface SprintPhase {
  readonly id: string;
  readonly prompt: string;
  /** Passes before the phase is done. */
  readonly gate: { readonly run: string; readonly timeoutMs: number | undefined } | undefined;
  /** What it is made of, for each item of a collection; undefined: it is one task itself. */
  readonly steps?: readonly SprintItem[] | undefined;
}

/** The work for one item of a collection. */
export interface SprintItem extends Omit<SprintPhase, "steps"> {
  /** Ids of items that come first; undefined: the one before it. */
  readonly needs: readonly string[] | undefined;
  /** Its phases, one after the other; undefined: it is one task itself. */
  readonly phases: readonly Omit<SprintPhase, "steps">[] | undefined;
}

/** The phases that are tasks themselves. */
export const taskPhases = (phases: readonly SprintPhase[]): Omit<SprintPhase, "steps">[] =>
  phases.flatMap((phase) =>
    phase.steps === undefined ? [phase] : phase.steps.flatMap((item) => item.phases ?? [item]),
  );

/** A sprint with phases at the beginning of an iteration. */
export interface PhaseState {
  readonly id: string;
  readonly goal: string;
  readonly iteration: number;
  /** The phase that is to be done; undefined: none is left. */
  readonly phase: Pick<SprintPhase, "id" | "prompt"> | undefined;
  /** Its place, from 1. */
  readonly number: number;
  readonly phases: number;
}

/** The prompt of one iteration of a sprint with phases. */
export function buildPhasePrompt({ id, goal, iteration, phase, number, phases }: PhaseState): string {
  const position = phase === undefined ? "none left" : `**${foreignLine(phase.id)}** (${number}/${phases})`;
  return [
    `# Sprint: ${foreignLine(id)} | Iteration: ${iteration}`,
    ...(goal.trim() === "" ? [] : [`## Goal\n\n${foreignText(goal.trim())}`]),
    `## Current Position\n\n- Phase: ${position}`,
    ...(phase === undefined ? [] : [`## Your Task\n\n${foreignText(phase.prompt.trim())}`]),
  ].join("\n\n");
}
