import { openPostgresFleet } from "../../store/index.ts";
import type { Fleet } from "../../store/store.ts";
import { rootCommit } from "../../system/git/root-commit.ts";
import type { Surroundings } from "../workspace.ts";
import { fleetAddress } from "./fleet-address.ts";

/** Opens all that the machines of the repository around a folder share. */
export async function connectFleet(
  place: Pick<Surroundings, "cwd" | "env">,
  options: { readonly connections?: number } = {},
): Promise<Fleet> {
  const url = await fleetAddress(undefined, place);
  const repository = await rootCommit({ folder: place.cwd, env: place.env });
  return await openPostgresFleet({ url, repository, ...options });
}
