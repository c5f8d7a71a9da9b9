import type { FleetStatus, InitialisedFleet } from "../app/fleet/fleet.ts";
import { formatDuration } from "../domain/duration.ts";
import { shellWord } from "../domain/shell-word.ts";
import { taskStatuses } from "../domain/task.ts";
import { aligned, pageOf, part } from "./page-parts.ts";
import { plural } from "./run-text.ts";

/** What was set up, and what to type on the other machines. */
export function fleetInitText({ name, address, hadPassword, isNew, schema, repository }: InitialisedFleet): string {
  const state = isNew ? "is set up" : "was set up before";
  const password = "  # the password: in ~/.pgpass, or in the address";
  return pageOf([
    [`PostgreSQL at ${name} ${state}: schema ralphctl, version ${schema}`],
    aligned([["Repository", `began with ${repository.slice(0, 12)}; others in this database see none of its tasks`]]),
    part("On each machine, in a clone of this repository", [
      `export RALPHCTL_FLEET_URL=${shellWord(address)}${hadPassword ? password : ""}`,
      "ralphctl fleet status",
    ]),
  ]);
}

export function fleetStatusText({ name, schema, repository, scopes, machines }: FleetStatus): string {
  const count = (of: (one: FleetStatus["scopes"][number]) => number): number =>
    scopes.reduce((sum, one) => sum + of(one), 0);
  const ready = count((one) => one.ready);
  const states = taskStatuses
    .map((state) => [state, count(({ leaves }) => leaves[state])] as const)
    .filter(([, tasks]) => tasks > 0)
    .map(([state, tasks]) => `${tasks} ${state.replace("_", " ")}${state === "pending" ? ` (${ready} ready)` : ""}`);
  return pageOf([
    aligned([
      ["Database", `${name}, schema version ${schema}`],
      ["Repository", `began with ${repository.slice(0, 12)}`],
      ["Tasks", states.length === 0 ? "none" : states.join(", ")],
    ]),
    machines.length === 0
      ? ["No machine works on a task"]
      : part("Machines", machines, ({ host, tasks, expired, leftMs }) => `${host}  ${held(tasks, expired, leftMs)}`),
  ]);
}

function held(tasks: number, expired: number, leftMs: number): string {
  const work = `works on ${plural(tasks, "task")}`;
  if (expired === 0) return work;
  const since = formatDuration(Math.max(0, -leftMs));
  return `${work}; ${expired === 1 ? "one lease" : `${expired} leases`} ran out, the first ${since} ago: the next claim takes it up`;
}
