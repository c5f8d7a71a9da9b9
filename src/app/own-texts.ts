import { relative } from "node:path";
import type { Environment } from "../domain/environment.ts";
import { type OwnTexts, readOwnFiles } from "../harness/harness.ts";
import { includedFiles } from "../lane/included-files.ts";
import { trackedPaths } from "../system/git/git.ts";
import { withRepository } from "../system/git/repository.ts";
import type { ReadyHarness } from "./run/check-harnesses.ts";
import type { Workspace } from "./workspace.ts";

/** The CLI's own files as its sessions will find them: of the working tree only those that are in a lane, too. */
export async function ownTextsInLanes(
  { root, config }: Workspace,
  { harness, settings }: Pick<ReadyHarness, "harness" | "settings">,
  env: Environment,
): Promise<OwnTexts> {
  const own = await readOwnFiles(harness, { env, cwd: root, settings });
  if (config.lanes.inPlace) return own;
  const placesIn = (cwd: string) => harness.ownFiles?.({ env: { ...env, ...settings.env }, cwd }) ?? {};
  const elsewhere = placesIn(`${root}/elsewhere`);
  const inTree = Object.entries(placesIn(root)).filter(([name, path]) => name in own && path !== elsewhere[name]);
  if (inTree.length === 0) return own;
  const missing = await withRepository({ folder: root, env }, async (home) => {
    const paths = inTree.map(([, path]) => relative(home.folder, path));
    const there = new Set([...(await trackedPaths(home, paths)), ...(await includedFiles(home)).files]);
    return inTree.filter((_, at) => !there.has(paths[at]!)).map(([name]) => name);
  });
  return Object.fromEntries(Object.entries(own).filter(([name]) => !missing.includes(name)));
}
