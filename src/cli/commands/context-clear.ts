export { clearAndTell as run } from "../context-talk.ts";
