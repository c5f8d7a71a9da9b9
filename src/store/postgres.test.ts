import { describe } from "vitest";
import { atEnd } from "../../test/at-end.ts";
import { fleetDatabase } from "../../test/fleet-database.ts";
import { postgresMissing } from "../../test/postgres.ts";
import { claimContract } from "./claim.contract.ts";
import { mergeContract } from "./merge.contract.ts";
import { openPostgresStore } from "./postgres.ts";
import { type Opened, storeContract } from "./store.contract.ts";

// One for all tests: each is another repository in it, so each also tests that none sees another's tasks.
let database: Promise<string> | undefined;
let count = 0;

const open = async (): Promise<Opened> => {
  const url = await (database ??= fleetDatabase());
  const world = { now: 1_000_000_000, dead: new Set<number>() };
  const isAlive = ({ host, pid }: { host: string; pid: number }): boolean | undefined =>
    host === "here" ? !world.dead.has(pid) : undefined;
  const repository = `repository ${++count}`;
  const store = await openPostgresStore({
    isNew: true,
    url,
    repository,
    clock: () => world.now,
    isAlive,
    host: "here",
  });
  atEnd(() => store.close());
  return { world, store };
};

describe.skipIf(postgresMissing !== undefined)(
  `F-01 PostgreSQL${postgresMissing ? `: ${postgresMissing}` : ""}`,
  () => {
    storeContract(open);
    claimContract(open);
    mergeContract(open);
  },
);
