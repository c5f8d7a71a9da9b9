/** Whether one version is newer than another, by their numbers; a release is newer than its previews. */
export function isNewer(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)];
  for (const at of [0, 1, 2]) {
    const difference = (a.numbers[at] ?? 0) - (b.numbers[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  if (a.preview === "" || b.preview === "") return a.preview === "" && b.preview !== "";
  return a.preview > b.preview;
}

function partsOf(version: string): { readonly numbers: readonly number[]; readonly preview: string } {
  const [numbers = "", ...preview] = version.split("+")[0]!.split("-");
  return { numbers: numbers.split(".").map(Number), preview: preview.join("-") };
}
