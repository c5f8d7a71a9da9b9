import type { StopReason } from "../domain/agent-event.ts";
import type { AgentLimits } from "../system/process/agent-process.ts";
import type { RunDeps } from "./run-deps.ts";
import type { SessionEnd } from "./session.ts";
import { whatReached } from "./watch-budget.ts";

const WHY: Readonly<Record<StopReason, string>> = {
  inactivity: "It was silent for too long",
  wall: "It exceeded the time limit of a session",
  grace: "It gave its result but did not exit",
  background: "It gave its result, but a command that it left in the background did not end",
  refused: "It kept asking although it was refused",
  limited: "It waited for a usage limit",
  repeats: "It met the same error again and again",
  abort: "It was stopped with the run",
};

/** The setting in the configuration for each time limit. */
const LIMITS: Readonly<Partial<Record<StopReason, readonly [key: string, limit: keyof AgentLimits]>>> = {
  inactivity: ["limits.inactivity", "inactivityMs"],
  wall: ["limits.attempt", "wallMs"],
  grace: ["limits.grace", "graceMs"],
  background: ["limits.attempt", "wallMs"],
  limited: ["limits.retryPatience", "patienceMs"],
};

export interface Stopped extends Pick<SessionEnd, "stoppedBy" | "isOverBudget" | "reached" | "swept"> {
  readonly iteration: number;
  /** The subject of the sentence; "It" is the agent. */
  readonly whose?: string;
}

/** Reports that the watchdog stopped a session, and that ralphctl ended processes that it left running. */
export function reportStopped({ emit, rules }: RunDeps, stopped: Stopped): void {
  const { iteration, whose, stoppedBy, isOverBudget, swept } = stopped;
  const say = (text: string, about: { readonly limit?: string; readonly limitMs?: number } = {}): void =>
    emit({ type: "session.stopped", iteration, why: text.replace(/^It(?= )/, whose ?? "It"), ...about });
  if (isOverBudget) say(`It ${whatReached(stopped)}`);
  else if (stoppedBy !== undefined) {
    const over = LIMITS[stoppedBy];
    say(WHY[stoppedBy], over && { limit: over[0], limitMs: rules.session[over[1]] });
  }
  if (swept === 1) say("It left a process running, and ralphctl ended it");
  if (swept > 1) say(`It left ${swept} processes running, and ralphctl ended them`);
}
