/** A task that waits for a person. */
interface Waiting {
  readonly id: string;
  readonly question?: string | undefined;
}

/** T-22: a yes settles a task that is done already. */
const isAskedIfDone = (question: string): boolean => question.startsWith("Already done?");

/** What an answer does that is more than words for the next agent. */
export const answerHint = (question: string): string | undefined =>
  isAskedIfDone(question) ? "“yes” settles it as done; any other answer starts a session." : undefined;

/** The command that answers a question, and what it is for. Words in capitals are for the person to fill in. */
export function answerStep({ id, question = "" }: Waiting): readonly [command: string, what: string] {
  if (isAskedIfDone(question)) return [`ralphctl task answer ${id} yes`, "any other answer starts a session"];
  if (question.includes(`ralphctl task allow ${id}`))
    return [`ralphctl task allow ${id}`, `ralphctl task show ${id} shows the change`];
  return [`ralphctl task answer ${id} TEXT`, "answer the question"];
}
