import { claimContract } from "./claim.contract.ts";
import { mergeContract } from "./merge.contract.ts";
import { createMemoryStore } from "./memory.ts";
import { randomId } from "./sqlite.ts";
import { type Opened, storeContract } from "./store.contract.ts";

const open = async (): Promise<Opened> => {
  const world = { now: 1_000_000_000, dead: new Set<number>() };
  const isAlive = ({ host, pid }: { host: string; pid: number }): boolean | undefined =>
    host === "here" ? !world.dead.has(pid) : undefined;
  return { world, store: createMemoryStore({ clock: () => world.now, newId: randomId, isAlive }) };
};

storeContract(open);
claimContract(open);
mergeContract(open);
