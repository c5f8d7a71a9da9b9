import type { TrustReview } from "../app/trust/trust.ts";
import type { TrustGiven } from "../app/workspace.ts";
import type { Input, Option } from "./command.ts";
import type { Io } from "./io.ts";

export const trustFlag: Option = {
  flags: "--trust",
  doc: "trust the programs and settings of the repository's files for this command",
};

/** B-01: the word of whoever typed the command, or the way to ask for it. */
export const trustGiven = (input: Input, io: Io): TrustGiven => ({
  isGiven: input.options["trust"] === true,
  // Whether somebody is there is only looked up if there is something to ask.
  ask: async (review) => (io.isInteractive ? await askTrust(review, io) : undefined),
});

/** Shows what the repository starts and sets, and asks for a yes. */
export async function askTrust(review: TrustReview, io: Io): Promise<boolean> {
  const { trustTitle } = await import("../format/trust-text.ts");
  io.err(`${trustTitle(review)}\n\n`);
  await showFacts(review, io);
  io.err("\n");
  return await io.confirm("Do you trust them? Say yes only if you know who wrote them", io.interrupts().stop);
}

async function showFacts(review: TrustReview, io: Io): Promise<void> {
  const { trustLines } = await import("../format/trust-text.ts");
  const strong = io.errStrong ?? io.err;
  for (const { text, isStrong } of trustLines(review)) (isStrong ? strong : io.err)(`${text}\n`);
}
