export { countTests } from "./count-tests.ts";
export { decidingChanges, type DecidingChange, onePerPath } from "./deciding-changes.ts";
export { discoverGates, discoverIn, type Discovery } from "./discover.ts";
export { howToGet, neededPrograms } from "./discover/programs.ts";
export { NODE_LOCKS, nodeManager } from "./discover/node-manager.ts";
export { installFiles, LOCK_FILES, nodeSetup, setupByLock, type SetupCommand, setupOf } from "./discover/setup.ts";
export type { CiCommand } from "./discover/uncovered.ts";
export { lostGates } from "./lost-gates.ts";
export { folderLook, treeLook } from "./look.ts";
export { withOldEntries } from "./package-entries.ts";
export { isPackage, packageGates, packageOf } from "./package-gates.ts";
export { withBaseParts } from "./resolve/base-parts.ts";
export { partsThere } from "./resolve/changed-parts.ts";
export type { DecidingPath, Resolution } from "./resolve/resolution.ts";
export { resolveGate } from "./resolve/resolve-gate.ts";
export { runGate, runGates, type GatePlace } from "./run-gate.ts";
export type { Look } from "./source.ts";
export { changedStarts, isUpgrade } from "./started-files.ts";
export {
  calledName,
  folderName,
  hasOnlyNewNames,
  isTestHelper,
  mayBeTestData,
  mayBeTestHelper,
} from "./test-helper.ts";
export { hasMoreLines, isData } from "./resolve/read-data.ts";
