import { printableLine } from "../domain/printable.ts";
import type { IterationRecord } from "../domain/run/iteration-record.ts";
import { claimText, spentTexts, outcomeText, sessionText, lowercaseFirst } from "./run-text.ts";

/** The outcome of an iteration in a word or two. */
export function resultWord({ finished, isCutOff }: IterationRecord): string {
  if (finished === undefined) return isCutOff ? "cut off" : "in progress";
  return outcomeText(finished);
}

/** The same in a column. */
export function shortResult(record: IterationRecord): string {
  const { finished } = record;
  if (finished === undefined) return resultWord(record);
  return printableLine(finished.strength ?? finished.outcome.replaceAll("-", " "));
}

/** The reason of the outcome, without a full stop; undefined if the outcome says it all. */
export function whySentence(record: IterationRecord): string | undefined {
  const { verdict, finished, ended, stopped } = record;
  if (finished?.question !== undefined) return printableLine(`It asks: ${finished.question}`);
  if (verdict !== undefined) return printableLine(verdictSentence(record, verdict));
  const cut = stopped.at(-1)?.why ?? (ended && sessionText(ended));
  const [claim] = record.claims;
  const said = claim === undefined || claim.claim === "done" ? undefined : `The agent claims: ${claimText(claim)}`;
  const why = cut ?? finished?.reason ?? said ?? (record.isCutOff ? CUT_OFF : undefined);
  return why === undefined ? undefined : printableLine(why).replace(/\.$/, "");
}

const CUT_OFF = "ralphctl crashed or was killed during the iteration; the next run continues from there";

type Verdict = NonNullable<IterationRecord["verdict"]>;

function verdictSentence({ claims }: IterationRecord, { verdict, reasons }: Verdict): string {
  const why = listOf(reasons.map(reasonText));
  const who = claims.at(-1)?.channel === "person" ? "You" : "The agent";
  // A reason that says "but" itself is the whole sentence.
  if (verdict === "rejected" && /^(?:the gates pass, but|there is no gate, and) /.test(why)) return `T${why.slice(1)}`;
  if (verdict === "rejected") return `${who} claimed it was done, but ${why || "the gates do not agree"}`;
  if (verdict === "accepted") return `Accepted${why === "" ? "" : `: ${why}`}`;
  if (verdict === "parked") return `A person must decide${why === "" ? "" : `: ${why}`}`;
  if (verdict === "deferred") return `The claim came too early to end the run${why === "" ? "" : `: ${why}`}`;
  return why === "" ? "Undecided: the gates were stopped" : `Undecided: ${why}`;
}

/** `gate test: exit code 1` of a verdict, for the middle of a sentence. */
const reasonText = (reason: string): string =>
  lowercaseFirst(reason.replace(/^gate (.+?): (.+)$/s, "gate $1 failed: $2").replace(/\.$/, ""));

const listOf = (texts: readonly string[]): string =>
  texts.length < 3 ? texts.join(", and ") : `${texts.slice(0, -1).join("; ")}; and ${texts.at(-1)}`;

/** `$0.42 · 12,345 tokens`, without unreported parts. */
export function costWords({ finished, isCutOff }: IterationRecord): string {
  if (finished === undefined) return isCutOff ? "unknown" : "not known yet";
  return spentTexts(finished).join(" · ") || "not reported";
}

/** `RUN/3`, as `inspect` takes it. */
export const iterationName = ({ run, started }: IterationRecord): string => `${run}/${started.iteration}`;
