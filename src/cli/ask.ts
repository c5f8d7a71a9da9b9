import { confirm as ask, isCancel, select } from "@clack/prompts";
import { printableLine } from "../domain/printable.ts";

/** A yes or no from the person at the terminal; Ctrl-C means no, and so does a `signal` that nobody waits any more. */
export async function confirm(question: string, signal?: AbortSignal): Promise<boolean> {
  const answer = await ask({ message: question, ...(signal !== undefined && { signal }) });
  return !isCancel(answer) && answer;
}

/** One of several, by the keys of the person at the terminal; undefined for Ctrl-C, and when nobody waits any more. */
export async function choose(
  question: string,
  options: readonly { readonly value: string; readonly label: string }[],
  signal?: AbortSignal,
): Promise<string | undefined> {
  const answer = await select({
    message: question,
    options: options.map(({ value, label }) => ({ value, label: printableLine(label) })),
    ...(signal !== undefined && { signal }),
  });
  return isCancel(answer) ? undefined : answer;
}
