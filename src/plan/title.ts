import { createHash } from "node:crypto";

/** Longer titles are compared by their beginning only, which bounds the work. */
const COMPARED_LENGTH = 256;

/**
 * A title as identity sees it: case, emphasis, code marks, strike-through, spacing, a leading list number and closing
 * punctuation do not count. `~~Add **login**.~~` and `1. add login` are the same.
 */
export function normaliseTitle(title: string): string {
  const plain = title
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[*`~]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/^\d+(?:\.\d+)*[.):] /, "");
  let end = plain.length;
  while (end > 0 && ".,:;! ".includes(plain[end - 1]!)) end -= 1;
  return plain.slice(0, end);
}

/** What `similarity` compares: short enough that the comparison is bounded. */
export const comparable = (normalised: string): string => normalised.slice(0, COMPARED_LENGTH);

/** A short key for something without an id: the parts together decide it, in any length. */
export function hashKey(...parts: readonly string[]): string {
  // A length before each part, so that no two lists of parts read the same.
  const whole = parts.map((part) => `${part.length}:${part}`).join("");
  return createHash("sha256").update(whole).digest("hex").slice(0, 20);
}

/**
 * Index of the heading that holds everything: the file's own title. It is a parent like any other but no part of the
 * heading path: a plan that is regenerated under a new title, or with one for the first time, keeps its identities.
 */
export function titleIndex(
  all: readonly { readonly kind: "task" | "group"; readonly parent?: number | undefined }[],
): number | undefined {
  const roots = all.flatMap(({ parent }, index) => (parent === undefined ? [index] : []));
  return roots.length === 1 && all[roots[0]!]!.kind === "group" ? roots[0] : undefined;
}
