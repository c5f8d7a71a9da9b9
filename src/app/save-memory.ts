export { saveMemory } from "../system/heap.ts";
