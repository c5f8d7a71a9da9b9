/**
 * Whether a path matches a pattern from the configuration. `*` and `?` stand for characters within one name, `**` for
 * any folders; everything else is itself. A pattern begins at the top of the workspace, and one that ends in a plain
 * name also covers what lies below it: `tests` means `tests/**`, too.
 */
export function matches(pattern: string, path: string): boolean {
  const want = parts(pattern);
  const have = parts(path);
  if (want.length === 0) return false;
  const last = want[want.length - 1]!;
  if (last === "**") return sequence([...want, "*"], have, FOLDERS);
  if (sequence(want, have, FOLDERS)) return true;
  return !/[*?]/.test(last) && sequence([...want, "**", "*"], have, FOLDERS);
}

export const matchesAny = (patterns: readonly string[], path: string): boolean =>
  patterns.some((pattern) => matches(pattern, path));

const parts = (path: string): string[] => path.split("/").filter((part) => part !== "" && part !== ".");

interface Alphabet {
  /** The sign that stands for any number of others. */
  readonly any: string;
  readonly isSame: (want: string, have: string) => boolean;
}

const CHARACTERS: Alphabet = { any: "*", isSame: (want, have) => want === "?" || want === have };
const FOLDERS: Alphabet = {
  any: "**",
  isSame: (want, have) => sequence(Array.from(want), Array.from(have), CHARACTERS),
};

/** Only the last `any` ever has to take more than it did, so no pattern takes longer than its length times the path's. */
function sequence(want: readonly string[], have: readonly string[], { any, isSame }: Alphabet): boolean {
  let wanted = 0;
  let had = 0;
  let lastAny = -1;
  let taken = 0;
  while (had < have.length) {
    const sign = want[wanted];
    if (sign === any) {
      lastAny = wanted;
      taken = had;
      wanted += 1;
    } else if (sign !== undefined && isSame(sign, have[had]!)) {
      wanted += 1;
      had += 1;
    } else if (lastAny >= 0) {
      wanted = lastAny + 1;
      taken += 1;
      had = taken;
    } else return false;
  }
  return want.slice(wanted).every((sign) => sign === any);
}
