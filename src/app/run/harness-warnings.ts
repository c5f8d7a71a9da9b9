import { versionWarnings } from "../harness-version.ts";
import { ownTextsInLanes } from "../own-texts.ts";
import type { Workspace } from "../workspace.ts";
import type { ReadyHarnesses } from "./check-harnesses.ts";
import type { RunHost } from "./run.ts";

/** Warnings about the agents. */
export async function harnessWarnings(
  { harnesses, reviewer }: ReadyHarnesses,
  { isRoot, env, interrupts: { stop } }: Pick<RunHost, "isRoot" | "env" | "interrupts">,
  workspace: Workspace,
): Promise<string[]> {
  const all = reviewer === undefined ? harnesses : [...harnesses, reviewer];
  const texts = new Set<string>();
  for (const one of all) {
    const { harness, settings } = one;
    const text = harness.facts.warning?.({ isRoot, own: await ownTextsInLanes(workspace, one, env), settings });
    if (text !== undefined) texts.add(text);
  }
  return [...texts, ...(await versionWarnings(all, { env, stop }))];
}
