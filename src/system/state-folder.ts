import { join } from "node:path";
import type { Environment } from "../domain/environment.ts";

/**
 * Where programs of the user keep their state; undefined: the environment does not say. A relative path is ignored, as the
 * XDG rules ask: it would lead into the repository that a command happens to run in.
 */
export function stateFolder({ XDG_STATE_HOME: state, HOME: home }: Environment): string | undefined {
  if (state?.startsWith("/") === true) return state;
  return home?.startsWith("/") === true ? join(home, ".local", "state") : undefined;
}
