/** Work that was put aside, under a name that `git show` knows. */
export interface ShelvedWork {
  readonly ref: string;
  readonly commit: string;
}

/** As the log of a task has it: an attempt is settled before its work is put aside. */
export const formatShelvedWork = ({ ref, commit }: ShelvedWork): string => `${ref} ${commit}`;

/** A name of ours and a commit's, or nothing: both are shown as part of a command. */
export function parseShelvedWork(text: string): ShelvedWork | undefined {
  const [, ref, commit] = KEPT.exec(text) ?? [];
  return ref === undefined || commit === undefined ? undefined : { ref, commit };
}

const KEPT = /^(refs\/ralph\/[A-Za-z0-9._%/-]{1,200}) ([0-9a-f]{40,64})$/;
