import type { Gate } from "../../domain/gate.ts";
import type { Spent } from "../../domain/run/ready-changes.ts";
import type { ScopeChoice } from "../workspace.ts";
import type { WorkRequest } from "./choose-work.ts";
import type { MoreChanges } from "./more-changes.ts";

export interface RunRequest extends WorkRequest {
  readonly scope: ScopeChoice;
  /** With all machines of the fleet (F-03). */
  readonly isFleet?: boolean | undefined;
  readonly validationCommand?: string | undefined;
  /** In addition to those of the workspace. */
  readonly gates?: readonly Gate[] | undefined;
  /** Refuse to start without a gate, and ask for proven work (T-20). */
  readonly strict: boolean;
  /** Work that somebody should look at is complete: the person has looked, or will. */
  readonly acceptLook?: boolean | undefined;
  /** Used up by earlier runs of the same command, which share the limits of cost, tokens and time. */
  readonly spent?: Spent | undefined;
  /** With several lanes, the run also takes in these changes when they are ready. */
  readonly more?: MoreChanges | undefined;
}

/** P-02: the run is about one description, so warnings of the scope do not matter. */
export const isBrief = ({ mode, words, file }: RunRequest): boolean => mode !== "plan" && (words ?? file) !== undefined;
