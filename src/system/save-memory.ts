import { setFlagsFromString } from "node:v8";

/** From now on the heap grows by a quarter before it is cleared, and not to twice its size: memory before speed. */
export const saveMemory = (): void => setFlagsFromString("--heap-growing-percent=25");
