// One line per harness. The export name is what users type in the configuration and on the command line.
export { claude } from "./claude.ts";
export { command } from "./command.ts";
export { scripted } from "./scripted.ts";
