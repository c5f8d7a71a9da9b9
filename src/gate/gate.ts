export { discoverGates } from "./discover.ts";
export { runGate, runGates, type GatePlace } from "./run-gate.ts";
