/** A task that waits for a person. */
interface Waiting {
  readonly id: string;
  readonly question?: string | undefined;
}

/** The command that answers a question, and what it is for. Words in capitals are for the person to fill in. */
export function answerStep({ id, question = "" }: Waiting): readonly [command: string, what: string] {
  // T-22: a yes settles a task that is done already.
  if (question.startsWith("Already done?"))
    return [`ralphctl task answer ${id} yes`, "any other answer starts a session"];
  if (question.includes(`ralphctl task allow ${id}`))
    return [`ralphctl task allow ${id}`, `ralphctl task show ${id} shows the change`];
  return [`ralphctl task answer ${id} TEXT`, "answer the question"];
}
