import { setFlagsFromString } from "node:v8";

/** Lets the heap grow by 25% between collections instead of doubling: memory before speed. */
export const saveMemory = (): void => setFlagsFromString("--heap-growing-percent=25");
