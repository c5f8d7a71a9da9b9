import { confirm as ask, isCancel } from "@clack/prompts";

/** A yes or no from the person at the terminal; Ctrl-C means no, and so does a `signal` that nobody waits any more. */
export async function confirm(question: string, signal?: AbortSignal): Promise<boolean> {
  const answer = await ask({ message: question, ...(signal !== undefined && { signal }) });
  return !isCancel(answer) && answer;
}
