import { confirm as ask, isCancel } from "@clack/prompts";

/** A yes or no from the person at the terminal; Ctrl-C means no. */
export async function confirm(question: string): Promise<boolean> {
  const answer = await ask({ message: question });
  return !isCancel(answer) && answer;
}
