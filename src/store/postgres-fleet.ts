import { fleetIdentity } from "../system/process/fleet-identity.ts";
import type { Fleet } from "./fleet.ts";
import { openDatabase, type PostgresOptions, type PostgresStore, storeOn } from "./postgres.ts";
import { listen } from "./postgres/listen.ts";
import { sharedIn } from "./postgres/shared.ts";

export interface PostgresFleet extends Fleet {
  readonly store: PostgresStore;
}

/** Opens all that the machines of one repository share, in a database that `fleet init` has set up. */
export async function openPostgresFleet(options: PostgresOptions): Promise<PostgresFleet> {
  const c = await openDatabase(options);
  const store = storeOn(c);
  return {
    ...sharedIn(c),
    store,
    name: c.name,
    owner: fleetIdentity(),
    listen: (onWake, asked) => listen({ ...c, url: options.url }, onWake, asked),
    close: () => store.close(),
  };
}
