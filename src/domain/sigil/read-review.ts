import { validSigils, type SigilPlace } from "./valid-sigils.ts";

/** A reviewer's answer. Silence is a fail too (P-15), without a reason. */
export type ReviewAnswer =
  | { readonly kind: "pass" }
  /** All reasons that were given; empty when there was none. */
  | { readonly kind: "fail"; readonly reason: string }
  | { readonly kind: "silent" };

/**
 * Reads a reviewer's answer from its final message. What counts is the same as for every sigil (P-11), only that the
 * reason of a fail may take several lines. A fail that counts wins over every pass. Never throws; takes linear time.
 */
export function readReview(finalMessage: string, prompt = ""): ReviewAnswer {
  const counting = validSigils(finalMessage, prompt, findAnswers(finalMessage));
  const reasons = counting.flatMap(({ reason }) => (reason === undefined ? [] : [reason]));
  if (reasons.length > 0) return { kind: "fail", reason: reasons.filter((text) => text !== "").join("\n") };
  return { kind: counting.length > 0 ? "pass" : "silent" };
}

interface Answer extends SigilPlace {
  /** Undefined: a pass. */
  readonly reason?: string;
}

const TAG = /<(verify-fail|\/verify-fail|verify-pass\s{0,8}\/|verify-pass><\/verify-pass)>/g;

const FAIL = "<verify-fail>";

/**
 * All answers, wherever they stand. A fail reaches from its start tag to the next end tag, so that its reason may
 * contain anything but these; a pass in between is part of the reason.
 */
function findAnswers(text: string): Answer[] {
  const answers: Answer[] = [];
  let open: { readonly start: number; readonly before: number } | undefined;
  for (const { 0: tag, 1: name, index: start } of text.matchAll(TAG)) {
    const end = start + tag.length;
    if (tag === FAIL) {
      open = { start, before: answers.length };
    } else if (name !== "/verify-fail") {
      answers.push({ start, end });
    } else if (open !== undefined) {
      answers.length = open.before;
      answers.push({ start: open.start, end, reason: text.slice(open.start + FAIL.length, start).trim() });
      open = undefined;
    }
  }
  return answers;
}
