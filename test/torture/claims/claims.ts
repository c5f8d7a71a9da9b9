import type { ClaimCase } from "./claim-case.ts";
import { scriptClaims } from "./script-claims.ts";

/** Every case of a claim, by what it is about. */
export const CLAIM_GROUPS: Readonly<Record<string, readonly ClaimCase[]>> = {
  "Scripts, make files and package scripts": scriptClaims,
};

export const CLAIMS: readonly ClaimCase[] = Object.values(CLAIM_GROUPS).flat();
