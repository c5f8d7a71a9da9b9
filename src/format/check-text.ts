import type { CheckKind } from "../domain/run/event.ts";
import type { TimelineEntry } from "../domain/run/timeline.ts";
import { listSome, lookup } from "./run-text.ts";

const CHECKS: Readonly<Record<CheckKind, string>> = {
  baseline: "gate check before work starts",
  own: "gate check before the first session of a task",
  final: "final gate check",
  extra: "gate check with the old configuration and tests",
};

/** The result of a check; `red`: the failing gates. */
export function checkText({ check, red }: TimelineEntry & { readonly kind: "check" }): string {
  const what = lookup(CHECKS, check) ?? "gate check";
  if (red === undefined) return `${what}: not finished`;
  return red.length === 0 ? `${what}: passed` : `${what}: failed (${listSome(red, 5)})`;
}
