import { claimTask } from "../app/task/claim-task.ts";
import { sessionOf } from "../domain/run/session.ts";
import type { Task } from "../domain/task.ts";
import type { Input } from "./command.ts";
import { caller } from "./flags.ts";
import type { Io } from "./io.ts";
import { printChange } from "./print-change.ts";

export interface SessionClaim {
  readonly claim: "done" | "failed" | "parked";
  /** The text, from an option or from the words after the id. */
  readonly text: (words: string) => string;
}

/** Inside a session, records the agent's claim. Returns false outside one. */
export async function claimInSession(input: Input, io: Io, { claim, text }: SessionClaim): Promise<boolean> {
  const session = sessionOf(io.env);
  if (session === undefined) return false;
  const [id = "", ...words] = input.args;
  const said = { claim, text: text(words.join(" ").trim()) };
  const task = await claimTask({ id, words, session, ...said }, caller(input, io));
  printChange(task, claimText(task, claim), { input, io });
  return true;
}

/** The answer to an agent's claim. */
export const claimText = ({ id }: Pick<Task, "id">, claim: SessionClaim["claim"]): string =>
  `Recorded that ${id} ${SAID[claim]}; ralphctl will check it when this session ends`;

const SAID = { done: "is done", failed: "has failed", parked: "waits for an answer" } as const;
