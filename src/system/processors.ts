import { availableParallelism } from "node:os";

/** How many programs can run at the same time. */
export const processorCount = (): number => availableParallelism();
