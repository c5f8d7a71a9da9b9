export { saveMemory } from "../system/save-memory.ts";
