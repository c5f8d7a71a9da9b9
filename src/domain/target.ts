import { matchDistance } from "./closest-match.ts";

/** What an abbreviated id stands for. */
export type Target =
  | { readonly kind: "unique"; readonly id: string }
  | { readonly kind: "none" }
  | { readonly kind: "ambiguous"; readonly matches: readonly string[] };

/**
 * Finds the id that the user means: by the whole id, its number (`14-1` for `014-01_add-docs`), its slug (`add-docs`),
 * or the beginning of id or slug. The first way that finds anything decides.
 */
export function resolveTarget(input: string, ids: readonly string[]): Target {
  const wanted = input.trim();
  if (wanted === "") return { kind: "none" };
  for (const matches of WAYS) {
    const found = ids.filter((id) => matches(id, wanted));
    if (found.length === 1) return { kind: "unique", id: found[0]! };
    if (found.length > 1) return { kind: "ambiguous", matches: found.toSorted() };
  }
  return { kind: "none" };
}

const MAX_SUGGESTIONS = 3;

/** Suggestions for an id that does not exist: similar ids, or ids that contain it; closest first. */
export function similarIds(input: string, ids: readonly string[]): string[] {
  const wanted = input.trim().toLowerCase();
  if (wanted === "") return [];
  const distances = ids.flatMap((id) => {
    const near = [id, slugOf(id)]
      .map((name) => matchDistance(wanted, name))
      .filter((distance) => distance !== undefined);
    if (near.length > 0) return [{ id, distance: Math.min(...near) }];
    // A part of an id ranks after a typo.
    return id.toLowerCase().includes(wanted) ? [{ id, distance: wanted.length + 1 }] : [];
  });
  return distances
    .toSorted((a, b) => a.distance - b.distance || compareIds(a.id, b.id))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ id }) => id);
}

/** The order of ids: `2-10` after `2-9`, and numbers before words. */
export const compareIds = (a: string, b: string): number => a.localeCompare(b, "en", { numeric: true });

const WAYS: readonly ((id: string, wanted: string) => boolean)[] = [
  (id, wanted) => id === wanted,
  // By parts: `014` is as much the beginning of `014-01_x` as it is the number of `14_y`; `1` is not that of `10_z`.
  (id, wanted) => isNumber(wanted) && isNumbered(id, wanted),
  (id, wanted) => slugOf(id) === wanted,
  (id, wanted) => id.startsWith(wanted) || slugOf(id).startsWith(wanted),
];

/** `14-1` or `14` for `014-01_add-docs`: its number, or the first parts of it. */
function isNumbered(id: string, wanted: string): boolean {
  const number = numberOf(id);
  const plain = plainNumber(wanted);
  return number === plain || ["-", "."].some((mark) => number?.startsWith(plain + mark));
}

/** The number at the beginning of an id, its parts without leading zeros: `014-01_add-docs` → `14-1`. */
function numberOf(id: string): string | undefined {
  const number = /^\d+(?:[-.]\d+)*(?=$|[-_.])/.exec(id)?.[0];
  return number === undefined ? undefined : plainNumber(number);
}

/** What follows the number: `014-01_add-docs` → `add-docs`; the whole id where there is no number. */
const slugOf = (id: string): string => id.replace(/^\d+(?:[-.]\d+)*[-_.](?=.)/, "");

const isNumber = (text: string): boolean => /^\d+(?:[-.]\d+)*$/.test(text);

const plainNumber = (number: string): string => number.replaceAll(/\d+/g, (digits) => digits.replace(/^0+(?=\d)/, ""));
