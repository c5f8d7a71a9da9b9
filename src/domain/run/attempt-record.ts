import { isMapping } from "../mapping.ts";
import type { Evidence } from "../gate.ts";

/** What an attempt leaves in the store beside its outcome and reason: the details of its settlement. */
export interface AttemptRecord {
  readonly v: 1;
  /** Why the claim was rejected, for the next prompt. */
  readonly report?: string;
  /** How the session was cut short, for the next prompt. */
  readonly harnessFailure?: string;
  /** What broke the protocol, for the next prompt. */
  readonly notes?: readonly string[];
  /** Its gates were green, but it had changed nothing (P-18). */
  readonly noChange?: true;
  /** What a claim that did not hold was judged by; one that holds has it in its verdict. Read by people and programs. */
  readonly evidence?: readonly Evidence[];
  /** Where everything about the iteration lies, relative to the working tree. */
  readonly folder: string;
  readonly harness: string;
  /** Absent: the CLI's own default. */
  readonly model?: string;
}

/** What of a record the next prompt can use; undefined where there is none. The store may hold anything, and a bad part is no part. */
export function readAttemptRecord(details: unknown): AttemptRecord | undefined {
  if (!isMapping(details) || details["v"] !== 1) return undefined;
  const { report, harnessFailure, notes, noChange, folder, harness, model } = details;
  return {
    v: 1,
    ...(isText(report) && { report }),
    ...(isText(harnessFailure) && { harnessFailure }),
    ...(Array.isArray(notes) && { notes: notes.filter(isText) }),
    ...(noChange === true && { noChange }),
    folder: isText(folder) ? folder : "",
    harness: isText(harness) ? harness : "",
    ...(isText(model) && { model }),
  };
}

const isText = (value: unknown): value is string => typeof value === "string";
