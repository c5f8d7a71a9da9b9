import { decidingChanges, type DecidingChange, setupOf, treeLook } from "../gate/gate.ts";
import type { RunDeps } from "./run-deps.ts";

interface ToSetUp extends Omit<Parameters<typeof decidingChanges>[0], "gates"> {
  /** The landing commit. */
  readonly head: string;
  /** The gates that run in the room. */
  readonly ids: readonly string[];
}

/** T-10: what set-up runs decides all gates, because they use what it made. With the base's set-up they say the same. */
export async function changedSetup(
  { home, rules }: Pick<RunDeps, "home" | "rules">,
  { head, ids, ...edited }: ToSetUp,
): Promise<DecidingChange[]> {
  const run = rules.setup ?? (await setupIn(home, head, edited.folder));
  if (run === undefined || run.trim() === "none") return [];
  const found = await decidingChanges({ ...edited, gates: [{ id: "setup", run }] });
  return found.filter(({ kind }) => kind !== "test" && kind !== "data").map((change) => forAll(change, ids));
}

/** Tried with the base's set-up, because most changes of one make no difference. */
const forAll = (change: DecidingChange, gates: readonly string[]): DecidingChange => ({
  ...change,
  gates,
  why: `set-up: ${change.why}`,
  kind: "configuration",
});

async function setupIn(home: RunDeps["home"], head: string, folder?: string): Promise<string | undefined> {
  const look = treeLook(home, head, folder);
  try {
    return (await setupOf(look))?.command;
  } finally {
    look.close();
  }
}
