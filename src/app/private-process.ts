export { keepPrivate } from "../system/private-process.ts";
