import {
  fleetSchema,
  type MachineLeases,
  openPostgresFleet,
  openPostgresStore,
  setUpPostgres,
} from "../../store/index.ts";
import type { FleetCooldown, FleetRun, Member, ScopeCounts, Store } from "../../store/store.ts";
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
  /** Those that are going on. */
  readonly runs: readonly FleetRun[];
  readonly members: readonly Member[];
  /** Who holds tasks, whether it is a member or not. */
  readonly machines: readonly MachineLeases[];
  readonly cooldowns: readonly FleetCooldown[];
  /** F-10: ready tasks that no member can take, and why. */
  readonly untaken: readonly UntakenTask[];
}

export interface UntakenTask {
  readonly id: string;
  readonly title: string;
  /** In the words of each member. */
  readonly why: readonly string[];
}

/** What the database knows about the fleet. */
export async function fleetStatus(typed: string | undefined, place: Place): Promise<FleetStatus> {
  const url = await fleetAddress(typed, place);
  const repository = await repositoryKey(place);
  const fleet = await openPostgresFleet({ url, repository, connections: 1 });
  try {
    const { store, name } = fleet;
    const members = await fleet.members();
    return {
      name,
      schema: fleetSchema.version,
      repository,
      scopes: await store.counts(),
      runs: await fleet.activeRuns(),
      members,
      machines: await store.machines(),
      cooldowns: await fleet.cooldowns(),
      untaken: await untakenTasks(store, members),
    };
  } finally {
    await fleet.close();
  }
}

/** F-10: what every live member has said it cannot take, as far as it is still ready. */
async function untakenTasks(store: Store, members: readonly Member[]): Promise<UntakenTask[]> {
  const [first, ...rest] = members
    .filter(({ isLive }) => isLive)
    .map(({ name, state: { cannot = [] } }) => ({ name, cannot }));
  const tasks = await Promise.all(
    (first?.cannot ?? []).map(async ({ task, why }) => {
      const others = rest.map(({ name, cannot }) => ({
        name,
        why: cannot.find((each) => each.task === task)?.why,
      }));
      const found = others.every((other) => other.why !== undefined) ? await store.get(task) : undefined;
      const words = [{ name: first!.name, why }, ...others].map((each) => `${each.name}: ${each.why}`);
      return found?.ready === true ? [{ id: found.id, title: found.title, why: words }] : [];
    }),
  );
  return tasks.flat();
}
