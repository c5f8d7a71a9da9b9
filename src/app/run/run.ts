import { RalphError } from "../../domain/error.ts";
import type { RunEvent, RunFinished } from "../../domain/run/event.ts";
import type { PromptView } from "../prompt.ts";
import type { ScopeChoice, Surroundings } from "../workspace.ts";

/** What somebody wants to be done. */
export interface RunRequest {
  readonly mode: "auto" | "plan" | "build";
  /** A task of one's own, in words or in a file (P-02). */
  readonly words?: string | undefined;
  readonly file?: string | undefined;
  /** Ids of the tasks that the run is limited to. */
  readonly tasks?: readonly string[] | undefined;
  readonly scope: ScopeChoice;
  readonly validationCommand?: string | undefined;
  /** Refuse to start without a gate (P-19). */
  readonly strict: boolean;
  readonly allowDirty: boolean;
}

/** Who wants it: where they are, and how they hear of it and stop it. */
export interface RunHost extends Surroundings {
  readonly emit: (event: RunEvent, atMs: number) => void;
  readonly interrupts: { readonly stop: AbortSignal; readonly kill: AbortSignal };
}

export async function runWorkspace(_request: RunRequest, _host: RunHost): Promise<RunFinished> {
  throw notYet();
}

/** What the first iteration would be sent; starts nothing. */
export async function dryRun(_request: RunRequest, _host: RunHost): Promise<PromptView> {
  throw notYet();
}

const notYet = (): RalphError => new RalphError("unavailable", "The loop is not part of this version");
