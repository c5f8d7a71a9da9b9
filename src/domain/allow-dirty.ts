import { RalphError } from "./error.ts";

/** L-01: an option of earlier versions. `name`: as it was given. */
export const allowDirtyError = (name: string): RalphError =>
  new RalphError("usage", `${name} is gone: uncommitted changes are no obstacle, and no part of a run`, {
    hint: "Leave it out. Commit what agents should see; --in-place works in your own tree, which must be clean then",
  });
