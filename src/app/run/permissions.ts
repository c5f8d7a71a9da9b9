import type { ReadyHarnesses } from "./check-harnesses.ts";

/** B-08: what each agent may do without asking, a sentence each. Our own test agents have no say of their own. */
export function permissionLines({ harnesses, reviewer }: Pick<ReadyHarnesses, "harnesses" | "reviewer">): string[] {
  const all = reviewer === undefined ? harnesses : [...harnesses, reviewer];
  const lines = all.flatMap(({ name, harness: { facts }, settings }) =>
    facts.permissions === undefined ? [] : [`${name} ${facts.permissions(settings)}`],
  );
  return [...new Set(lines)];
}
