import type { Environment } from "../../domain/environment.ts";

/** A variable in the environment by which processes are found, wherever they went: it is one item of a list there. */
export interface Marker {
  readonly name: string;
  readonly value: string;
}

/** The variable that every agent and every gate carries: its run, itself, and before them those that it runs inside. */
export const MARKER = "RALPHCTL_MARKER";

/** By which everything that a run has started is found, also what a ralphctl inside it started in its turn. */
export const runMarker = (run: string): Marker => ({ name: MARKER, value: run });

/** Separates markers. Where environments are only seen as text, a blank ends an entry. */
const SEPARATOR = ",";

/**
 * An environment with one marker more. Those of `env` stay: a ralphctl that runs inside an agent or a gate marks what
 * it starts as its own, and all of it is still found by the one that is further out.
 */
export function withMarker(env: Environment, { name, value }: Marker): Environment {
  const outer = env[name] ?? "";
  return { ...env, [name]: outer === "" ? value : `${outer}${SEPARATOR}${value}` };
}

/** Whether an entry of an environment, `NAME=first,second`, has the marker in its list. */
export const hasMarker = (entry: string, { name, value }: Marker): boolean =>
  entry.startsWith(`${name}=`) &&
  entry
    .slice(name.length + 1)
    .split(SEPARATOR)
    .includes(value);
