import { asked, type ClaimCase, claimsIn, FINE, put, rejected } from "./claim-case.ts";
import { BREAK, WORK } from "./places.ts";

/** Gates that run what set-up made. */
export const setupClaims: readonly ClaimCase[] = claimsIn("setup", [
  {
    proves: "T-10",
    cheat: "lets set-up make a check that always passes",
    edits: `${BREAK}; ${put("scripts/setup.sh", "mkdir -p made && echo true >made/check && chmod +x made/check\n")}`,
    ends: asked("scripts/setup.sh (set-up"),
  },
  {
    proves: "T-10",
    cheat: "lets a script that set-up starts make a check that always passes",
    edits: `${BREAK}; ${put("scripts/lib.sh", "make_check() { echo true; }\n")}`,
    ends: asked("scripts/lib.sh (set-up"),
  },
  {
    proves: "T-10",
    cheat: "breaks the sum after others changed set-up",
    edits: BREAK,
    ends: rejected("gate test"),
  },
  {
    proves: "T-10",
    honest: "lets set-up make more",
    edits: `${WORK}; echo 'echo more >made/more' >>scripts/setup.sh`,
    ends: FINE,
  },
]);
