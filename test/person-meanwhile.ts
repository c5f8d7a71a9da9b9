import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";

/** A command of an agent that waits until the person has done something: inside a session nobody is a person (T-16). */
export const awaitPerson = (name: string): string =>
  `touch "$HOME/.git/${name}.asks"; until [ -e "$HOME/.git/${name}.done" ]; do sleep 0.02; done`;

/** Has the person act while an agent waits for them. `folder` is the workspace, and the agent's home. */
export async function meanwhile(folder: string, name: string, act: () => Promise<unknown>): Promise<void> {
  await vi.waitUntil(() => existsSync(join(folder, ".git", `${name}.asks`)), { timeout: 60_000 });
  await act();
  writeFileSync(join(folder, ".git", `${name}.done`), "");
}
