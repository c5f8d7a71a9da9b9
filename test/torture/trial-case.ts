import type { Seen, TortureCase } from "./case.ts";
import { openTrial, type Trial, type TrialOptions } from "./trial.ts";

/** What must be seen unless a case says otherwise: the task is proven done, at once, and nothing had to be said. */
const HONEST: Seen = {
  codes: [0],
  outcomes: ["verified"],
  states: { "Do it": "done" },
  commits: ["Do it"],
  told: [],
  processes: [],
};

/** A case that is played in a workspace with a hostile agent. */
export interface TrialCase extends Omit<TortureCase, "play" | "expected">, Omit<TrialOptions, "voice"> {
  readonly voice?: TrialOptions["voice"];
  /** What is done; without it, one run. What it returns is seen too. */
  readonly act?: (trial: Trial) => Promise<Readonly<Record<string, unknown>> | void>;
  /** What differs from one honest session. */
  readonly expected?: Partial<Seen>;
}

export function trialCase(asked: TrialCase): TortureCase {
  const { voice = "claude", sessions, tasks, limits, act = runOnce, expected, ...about } = asked;
  return {
    ...about,
    expected: { ...HONEST, ...expected },
    play: async () => {
      const options = { voice, sessions, ...(tasks && { tasks }), ...(limits && { limits }) };
      const trial = await openTrial(options, about.slow === undefined ? "fast" : "slow");
      try {
        const more = await act(trial);
        return await trial.seen(more ?? undefined);
      } finally {
        await trial.end();
      }
    },
  };
}

/** The same done to an agent that speaks as Claude Code does, and to one that prints plain text. */
export const inBothVoices = (one: TrialCase, plain: Partial<TrialCase> = {}): TortureCase[] => [
  trialCase(one),
  trialCase({ ...one, ...plain, voice: "command", name: `${one.name}-plain` }),
];

async function runOnce(trial: Trial): Promise<void> {
  await trial.run();
}
