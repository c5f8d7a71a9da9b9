import { claimContract } from "../../src/store/claim.contract.ts";
import { mergeContract } from "../../src/store/merge.contract.ts";
import { createMemoryStore } from "./memory-store.ts";
import { randomId } from "../../src/store/sqlite.ts";
import { type Opened, storeContract } from "../../src/store/store.contract.ts";

const open = async (): Promise<Opened> => {
  const world = { now: 1_000_000_000, dead: new Set<number>() };
  const isAlive = ({ host, pid }: { host: string; pid: number }): boolean | undefined =>
    host === "here" ? !world.dead.has(pid) : undefined;
  return { world, store: createMemoryStore({ clock: () => world.now, newId: randomId, isAlive }) };
};

storeContract(open);
claimContract(open);
mergeContract(open);
