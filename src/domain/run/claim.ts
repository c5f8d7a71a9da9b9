import { FAILURE, type Sigils } from "../sigil/read-sigils.ts";

/** The claim in the agent's final message, checked against the assigned task. */
export interface ClaimReading {
  readonly claim: "done" | "failed" | "failure" | "none";
  /** It promised, beside its task sigil, that everything is complete: the DAG will tell. */
  readonly promisesAll: boolean;
  /** It promised that everything is complete, whatever else it said. */
  readonly promised?: true;
  /** Other ids that it claims to be done (T-23). */
  readonly others?: readonly string[];
  /** The model it recommends, as written; whether a harness knows it is decided later. */
  readonly nextModel?: string;
  /** What broke the protocol, in sentences for the next prompt. */
  readonly notes: readonly string[];
}

export interface ExpectedClaim {
  /** Absent in plan mode, where a promise is the only claim. */
  readonly taskId?: string | undefined;
  readonly completionPromise: string;
  /** It said, in a sprint, that the goal is achieved: a promise in other words (D-12). */
  readonly isCompleted?: boolean | undefined;
}

/**
 * Checks the sigils against the assignment: FAILURE, then done, then failed, then the promise (P-11). Only the assigned
 * task can be claimed (P-13); a promise without a task sigil is the claim for it (P-12).
 */
export function readClaim(sigils: Sigils, { taskId, completionPromise, isCompleted }: ExpectedClaim): ClaimReading {
  const { done, failed, promise, allDone = done === undefined ? [] : [done] } = sigils;
  const others = allDone.filter((id) => id !== taskId);
  const promised = promise === completionPromise || isCompleted === true;
  const isAssigned = (id: string | undefined): boolean => id !== undefined && id === taskId;
  const isDone = allDone.some(isAssigned);
  const hasTaskSigil = done !== undefined || failed !== undefined;
  const claim =
    promise === FAILURE
      ? "failure"
      : isDone
        ? "done"
        : isAssigned(failed)
          ? "failed"
          : promised && !hasTaskSigil
            ? "done"
            : "none";
  return {
    claim,
    promisesAll: promised && hasTaskSigil,
    ...(promised && { promised }),
    ...(others.length > 0 && { others }),
    ...(sigils.nextModel !== undefined && { nextModel: sigils.nextModel }),
    notes: [
      ...others.slice(0, MAX_SHOWN).flatMap((id) => wrongTask("task-done", id, taskId)),
      ...wrongTask("task-failed", failed, taskId),
      ...wrongPromise(promise, completionPromise),
      ...quotedNotes(sigils.quoted),
    ],
  };
}

/** What a session is told about ids that it claimed besides its own. */
export const otherNotes = (ids: readonly string[], taskId: string): string[] =>
  ids.flatMap((id) => wrongTask("task-done", id, taskId));

function wrongTask(tag: string, id: string | undefined, taskId: string | undefined): string[] {
  if (id === undefined || id === taskId) return [];
  const sigil = `\`<${tag}>${shortened(id)}</${tag}>\``;
  return [
    taskId === undefined
      ? `Ignored ${sigil}: no task was assigned.`
      : `Ignored ${sigil}: it is not the assigned task, ${taskId}.`,
  ];
}

const wrongPromise = (promise: string | undefined, expected: string): string[] =>
  promise === undefined || promise === expected || promise === FAILURE
    ? []
    : [`Ignored \`<promise>${shortened(promise)}</promise>\`: the promise is \`<promise>${expected}</promise>\`.`];

/** Each sigil once, in a bounded number. */
function quotedNotes(quoted: readonly string[]): string[] {
  const all = [...new Set(quoted)];
  const shown = all.slice(0, MAX_SHOWN).map((sigil) => `\`${shortened(sigil.replaceAll(/\s+/g, " "))}\``);
  if (shown.length === 0) return [];
  const more = all.length > shown.length ? ` and ${all.length - shown.length} more` : "";
  return [
    `Ignored ${shown.join(", ")}${more}: a sigil must be on a line of its own, outside code and quotes, and not copied from the prompt.`,
  ];
}

const MAX_SHOWN = 5;

const shortened = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
