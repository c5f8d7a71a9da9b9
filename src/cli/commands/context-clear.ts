export { clearAndTell as run } from "../context-change.ts";
