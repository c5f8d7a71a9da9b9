import { validSigils } from "./valid-sigils.ts";

/** The placeholder for the summary in the prompts of a sprint. */
const PLACEHOLDER = "[summary]";

/**
 * The summary of the last `RALPH_COMPLETE: summary` of a final message that counts, by the rules of all sigils (P-11);
 * undefined when there is none. The line as the prompt writes it, with `[summary]` in it, is a quotation.
 */
export function readCompletion(message: string, prompt = ""): string | undefined {
  const found = Array.from(message.matchAll(LINE), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
    summary: match[1]!.replace(/^[\s*_]+/, "").replace(/[\s*_]+$/, ""),
  })).filter(({ summary }) => !summary.includes(PLACEHOLDER));
  const last = validSigils(message, prompt, found).at(-1);
  if (last === undefined) return undefined;
  return last.summary === "" ? message.slice(last.end).trim() : last.summary;
}

const LINE = /\bRALPH_COMPLETE:([^\n]*)/g;
