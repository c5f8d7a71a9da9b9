import { foreignText, foreignLine } from "./foreign-text.ts";

/** One phase of a sprint that goes through a list of them. */
export interface SprintPhase {
  readonly id: string;
  readonly prompt: string;
  /** Passes before the phase is done. */
  readonly gate: { readonly run: string; readonly timeoutMs: number | undefined } | undefined;
}

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
