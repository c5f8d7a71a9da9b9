import { fleetSchema, openPostgresStore, type MachineLeases, setUpPostgres } from "../../store/index.ts";
import type { ScopeCounts } from "../../store/store.ts";
import { rootCommit } from "../../system/git/root-commit.ts";
import type { Surroundings } from "../workspace.ts";
import { fleetAddress } from "./fleet-address.ts";

type Place = Pick<Surroundings, "cwd" | "env">;

/** F-09: all that `initFleet` does to a database, as SQL. */
export const fleetSql = (): string => fleetSchema.sql();

export interface InitialisedFleet {
  /** Host and database. */
  readonly name: string;
  /** The address for workers, without a password. */
  readonly address: string;
  readonly hadPassword: boolean;
  readonly isNew: boolean;
  readonly schema: number;
  readonly repository: string;
  /** Settings of the server by which a crash can take back what was settled. */
  readonly warnings: readonly string[];
}

/** F-09: sets up the database once, adds this repository to it, and tries all that workers will do there. */
export async function initFleet(typed: string | undefined, place: Place): Promise<InitialisedFleet> {
  const url = await fleetAddress(typed, place);
  const repository = await repositoryKey(place);
  const made = await setUpPostgres(url);
  const store = await openPostgresStore({ url, repository, isNew: true });
  try {
    await store.tryRights();
  } finally {
    await store.close();
  }
  return { ...made, schema: fleetSchema.version, repository };
}

const repositoryKey = ({ cwd, env }: Place): Promise<string> => rootCommit({ folder: cwd, env });

export interface FleetStatus {
  readonly name: string;
  readonly schema: number;
  readonly repository: string;
  readonly scopes: readonly ScopeCounts[];
  readonly machines: readonly MachineLeases[];
}

/** What the database knows about the fleet. */
export async function fleetStatus(typed: string | undefined, place: Place): Promise<FleetStatus> {
  const url = await fleetAddress(typed, place);
  const repository = await repositoryKey(place);
  const store = await openPostgresStore({ url, repository });
  try {
    const [scopes, machines] = [await store.counts(), await store.machines()];
    return { name: store.name, schema: fleetSchema.version, repository, scopes, machines };
  } finally {
    await store.close();
  }
}
