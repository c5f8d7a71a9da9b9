import { isMapping } from "../mapping.ts";
import type { Evidence } from "../gate.ts";

/** The details of a settlement that the store keeps besides outcome and reason. */
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
  /** T-10: changes that a person was asked about, or can allow, as a grant names them. */
  readonly ask?: AskedChange;
  /** T-11: changed tests that a person should look at, as a diff. */
  readonly look?: string;
  /** The evidence against a rejected claim; an accepted one has it in its verdict. */
  readonly evidence?: readonly Evidence[];
  /** The folder with the iteration's records, relative to the working tree. */
  readonly folder: string;
  readonly harness: string;
  /** Absent: the CLI's own default. */
  readonly model?: string;
}

export interface AskedChange {
  readonly paths: readonly string[];
  readonly diff: string;
  /** The claim was rejected for more than these changes, so that a session has to go on. */
  readonly isMore?: boolean;
}

/** The parts of a record that the next prompt uses; undefined if there is none. The store may hold anything: invalid parts are ignored. */
export function readAttemptRecord(details: unknown): AttemptRecord | undefined {
  if (!isMapping(details) || details["v"] !== 1) return undefined;
  const { report, harnessFailure, notes, noChange, ask, look, folder, harness, model } = details;
  return {
    v: 1,
    ...(isText(report) && { report }),
    ...(isText(harnessFailure) && { harnessFailure }),
    ...(Array.isArray(notes) && { notes: textsIn(notes) }),
    ...(noChange === true && { noChange }),
    ...(isMapping(ask) && { ask: askedIn(ask) }),
    ...(isText(look) && { look }),
    folder: isText(folder) ? folder : "",
    harness: isText(harness) ? harness : "",
    ...(isText(model) && { model }),
  };
}

const askedIn = ({ paths, diff, isMore }: Readonly<Record<string, unknown>>): AskedChange => ({
  paths: textsIn(paths),
  diff: isText(diff) ? diff : "",
  ...(isMore === true && { isMore }),
});

const textsIn = (list: unknown): string[] => (Array.isArray(list) ? list.filter(isText) : []);

const isText = (value: unknown): value is string => typeof value === "string";
