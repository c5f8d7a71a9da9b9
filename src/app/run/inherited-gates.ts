import { join, relative } from "node:path";
import { compareDefinitions, type PinnedGate } from "../../domain/gate.ts";
import { discoverGates } from "../../gate/gate.ts";
import { type InheritedPolicy, inheritedPolicy } from "../../loop/inherited-policy.ts";
import { inCleanCheckout } from "../../system/git/checkout.ts";
import type { Repository } from "../../system/git/repository.ts";
import type { Workspace } from "../workspace.ts";

/** The gates that judge unverified work in the tree; undefined: those that the tree defines. */
export async function inheritedGates(
  { root }: Pick<Workspace, "root">,
  repository: Repository,
  earlier: InheritedPolicy | undefined,
): Promise<readonly PinnedGate[] | undefined> {
  const gates = earlier?.gates;
  if (gates === undefined || !("head" in gates)) return gates;
  const place = relative(repository.folder, root);
  return await inCleanCheckout(repository, gates.head, async (folder) => {
    return (await discoverGates(join(folder, place))).gates;
  });
}

/** Warns that an unverified session changed gates or protected files. */
export async function weakenedNotices({ root }: Pick<Workspace, "root">, repository: Repository): Promise<string[]> {
  const earlier = await inheritedPolicy(repository, undefined);
  if (earlier === undefined) return [];
  const pinned = await inheritedGates({ root }, repository, earlier);
  const { changed, removed } =
    pinned === undefined ? { changed: [], removed: [] } : compareDefinitions(pinned, (await discoverGates(root)).gates);
  const gates = [...changed, ...removed];
  const files = earlier.changed.map(({ path }) => path);
  return [
    ...(gates.length === 0 ? [] : [`An unverified session changed what these gates run: ${gates.join(", ")}`]),
    ...(files.length === 0 ? [] : [`An unverified session changed protected files: ${files.join(", ")}`]),
  ];
}
