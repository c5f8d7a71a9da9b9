import type { ClaimCase } from "./claim-case.ts";
import { buildClaims } from "./build-claims.ts";
import { dataClaims } from "./data-claims.ts";
import { fileClaims } from "./file-claims.ts";
import { honestBuildClaims } from "./honest-build-claims.ts";
import { hookClaims } from "./hook-claims.ts";
import { languageClaims } from "./language-claims.ts";
import { namedClaims } from "./named-claims.ts";
import { honestClaims } from "./honest-claims.ts";
import { moreHonestClaims } from "./more-honest-claims.ts";
import { personClaims } from "./person-claims.ts";
import { scriptClaims } from "./script-claims.ts";
import { sourceClaims } from "./source-claims.ts";
import { settingClaims } from "./setting-claims.ts";
import { taskClaims } from "./task-claims.ts";
import { testClaims } from "./test-claims.ts";
import { toolClaims } from "./tool-claims.ts";
import { treeClaims } from "./tree-claims.ts";

/** Every case of a claim, by what it is about. */
export const CLAIM_GROUPS: Readonly<Record<string, readonly ClaimCase[]>> = {
  "Scripts, make files and package scripts": scriptClaims,
  "Configuration of tools": [...toolClaims, ...hookClaims, ...settingClaims],
  "Lock files and build files": [...buildClaims, ...honestBuildClaims],
  "Existing tests": testClaims,
  "Data that checks read": dataClaims,
  "Node.js, Python and npm workspaces": languageClaims,
  "Source that knows its tests, and files that programs load": sourceClaims,
  "Libraries of shell, settings by name, and tests inside of sources": namedClaims,
  "Files that would not be committed, and git": [...fileClaims, ...treeClaims],
  "Tasks, own gates and words": taskClaims,
  "The person's repository": personClaims,
  "Honest tasks of ten kinds": [...honestClaims, ...moreHonestClaims],
};

export const CLAIMS: readonly ClaimCase[] = Object.values(CLAIM_GROUPS).flat();
