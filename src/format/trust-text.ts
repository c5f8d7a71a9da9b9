import type { TrustRecord, TrustReview } from "../app/trust/trust.ts";
import { printableLine } from "../domain/printable.ts";
import type { FactChange } from "../domain/trust-facts.ts";

/** A line of its own; a strong one must not be overlooked. */
export interface TrustLine {
  readonly text: string;
  readonly isStrong: boolean;
}

const MARKS = { added: "+", removed: "-", same: " " } as const;
const LONGEST = 600;

/** What a repository starts and sets, a line each. After an earlier yes only the difference, marked. */
export function trustLines({ changes, isChanged }: TrustReview): TrustLine[] {
  const shown = isChanged ? changes.filter(({ change }) => change !== "same") : changes;
  const lines = shown.map((fact) => ({ text: lineOf(fact, isChanged), isStrong: fact.isStrong }));
  const same = changes.length - shown.length;
  return same === 0 ? lines : [...lines, { text: `    ${same} more as before`, isStrong: false }];
}

/** Without colours, too, one sees what matters. */
function lineOf({ key, value, change, isStrong }: FactChange, isChanged: boolean): string {
  return `${isStrong ? "!" : " "} ${isChanged ? MARKS[change] : " "} ${printableLine(key)}: ${shortened(value)}`;
}

/** Blanks cannot push anything out of sight, and a rest that is not shown is named. */
function shortened(value: string): string {
  const line = printableLine(value);
  if (line.length <= LONGEST) return line;
  return `${line.slice(0, LONGEST)}… and ${line.length - LONGEST} more characters: read them in the file`;
}

export const trustTitle = ({ isChanged, root }: TrustReview): string =>
  isChanged
    ? `The settings of ${root} have changed since you trusted them:`
    : `The files of ${root} start these programs, and set this for agents and gates:`;

export const trustJson = ({ root, isTrusted, isChanged, changes }: TrustReview): unknown => ({
  root,
  trusted: isTrusted,
  changed: isChanged,
  facts: changes.map(({ key, value, isStrong, change }) => ({ key, value, strong: isStrong, change })),
});

export const recordJson = ({ repository, folder, areas }: TrustRecord): unknown => ({
  repository,
  folder,
  areas: Object.entries(areas).map(([name, { at, facts }]) => ({ name, at, facts })),
});

export function recordText({ repository, folder, areas }: TrustRecord): string {
  const at = Object.values(areas).reduce((last, { at: other }) => (other > last ? other : last), "");
  const place = folder === "" ? repository : `${repository} (${folder})`;
  return `${at.slice(0, 10)}  ${printableLine(place)}  ${Object.keys(areas).map(printableLine).join(", ")}\n`;
}
