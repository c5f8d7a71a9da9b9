import { listAllChanges } from "../../app/scopes.ts";
import type { Input } from "../command.ts";
import { surroundings } from "../flags.ts";
import type { Io } from "../io.ts";
import { printScopes } from "../scope-list.ts";

/** Every change that is not archived, and how it stands. */
export async function run(input: Input, io: Io): Promise<void> {
  const none = "There is no change here. Create openspec/changes/<id>/proposal.md, or set layouts in the configuration";
  printScopes(await listAllChanges(surroundings(input, io)), { input, io, none });
}
