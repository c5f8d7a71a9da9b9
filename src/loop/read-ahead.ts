import { relative } from "node:path";
import type { Gate } from "../domain/gate.ts";
import { resolveGate, treeLook } from "../gate/gate.ts";
import type { RunDeps } from "./run-deps.ts";

interface ToRead extends Pick<RunDeps, "home" | "root"> {
  readonly gates: { readonly gates: readonly Pick<Gate, "run" | "check">[] };
}

const done = new WeakSet<ToRead["home"]>();

/**
 * T-10: reads what decides in the base while the agent works, once in a run. Objects of git are remembered, so the first
 * claim finds them in memory, and later ones read what changed since. Nothing depends on it.
 */
export async function readAhead({ home, root, gates }: ToRead, head: string): Promise<void> {
  if (done.has(home)) return;
  done.add(home);
  const look = treeLook(home, head);
  const folder = relative(home.folder, root);
  try {
    for (const { run } of gates.gates.filter(({ check }) => check === undefined)) await resolveGate(run, look, folder);
  } catch {
    // The claim asks again, and says why.
  } finally {
    look.close();
  }
}
