import type { FleetStatus, InitialisedFleet } from "../app/fleet/fleet.ts";
import { formatDuration } from "../domain/duration.ts";
import { shellWord } from "../domain/shell-word.ts";
import { taskStatuses } from "../domain/task.ts";
import { aligned, pageOf, part } from "./page-parts.ts";
import { plural } from "./run-text.ts";

/** What was set up, and what to type on the other machines. */
export function fleetInitText({ name, address, hadPassword, isNew, schema, repository }: InitialisedFleet): string {
  const state = isNew ? "is set up" : "was set up before";
  return pageOf([
    [`PostgreSQL at ${name} ${state}: schema ralphctl, version ${schema}`],
    aligned([["Repository", `began with ${repository.slice(0, 12)}; others in this database see none of its tasks`]]),
    part("On each machine, in a clone of this repository", [
      `export RALPHCTL_FLEET_URL=${shellWord(address)}`,
      "ralphctl worker",
    ]),
    ...(hadPassword ? [["The password is not shown: put it into ~/.pgpass there, or into the address"]] : []),
    part("Then in any clone, with the same address", ["ralphctl run --fleet", "ralphctl fleet status"]),
  ]);
}

export function fleetStatusText(status: FleetStatus): string {
  const { name, schema, repository, scopes, runs, members, machines, cooldowns, untaken } = status;
  const count = (of: (one: FleetStatus["scopes"][number]) => number): number =>
    scopes.reduce((sum, one) => sum + of(one), 0);
  const ready = count((one) => one.ready);
  const states = taskStatuses
    .map((state) => [state, count(({ leaves }) => leaves[state])] as const)
    .filter(([, tasks]) => tasks > 0)
    .map(([state, tasks]) => `${tasks} ${state.replace("_", " ")}${state === "pending" ? ` (${ready} ready)` : ""}`);
  const late = machines.filter(({ expired }) => expired > 0);
  return pageOf([
    aligned([
      ["Database", `${name}, schema version ${schema}`],
      ["Repository", `began with ${repository.slice(0, 12)}`],
      ["Tasks", states.length === 0 ? "none" : states.join(", ")],
    ]),
    ...(runs.length === 0 ? [] : [part("Runs", runs, runText)]),
    members.length === 0
      ? ["No machine works for this repository. On one, in a clone: ralphctl worker"]
      : part("Machines", members.flatMap(memberLines)),
    ...(machines.length === 0
      ? []
      : [part("Tasks held", machines, ({ host, ...held }) => `${host}  ${heldText(held)}`)]),
    ...(late.length === 0 ? [] : [["What is held too long is taken up with the next claim"]]),
    ...(cooldowns.length === 0 ? [] : [part("Usage limits", cooldowns, cooldownText)]),
    ...(untaken.length === 0
      ? []
      : [part("No machine can take", untaken, ({ id, title, why }) => `${id}  ${title} (${why.join("; ")})`)]),
  ]);
}

const runText = ({ id, target, scope, begun, isFollowed, owner }: FleetStatus["runs"][number]): string =>
  `${id}  ${scope} onto ${target.replace("refs/heads/", "")}, ${plural(begun, "iteration")} begun, ${
    isFollowed ? `followed on ${owner.host}` : "followed by nobody: ralphctl run --fleet takes it over"
  }`;

function memberLines({
  number,
  name,
  lanes,
  isLive,
  silentMs,
  harnesses,
  state,
  version,
}: FleetStatus["members"][number]) {
  const can = harnesses.map((each) => (each.problem === undefined ? each.name : `${each.name} (${each.problem})`));
  const life = isLive ? "" : `, silent for ${formatDuration(silentMs)}`;
  return [
    `${number}  ${name}, ${plural(lanes, "lane")}, ${can.join(", ") || "no agent"}, ralphctl ${version}${life}`,
    ...state.lanes.map(({ lane, task, iteration, doing }) => {
      const what = [task, iteration === undefined ? undefined : `iteration ${iteration}`].filter(Boolean).join(", ");
      return `   lane ${lane}  ${doing}${what === "" ? "" : `: ${what}`}`;
    }),
    ...(state.problem === undefined ? [] : [`   ${state.problem}`]),
  ];
}

const cooldownText = ({ harness, account, why, leftMs, message }: FleetStatus["cooldowns"][number]): string =>
  `${harness}  ${why} of account ${account}, for ${formatDuration(leftMs)}: ${message}`;

function heldText({ tasks, expired, leftMs }: Omit<FleetStatus["machines"][number], "host">): string {
  const work = `works on ${plural(tasks, "task")}`;
  if (expired === 0) return work;
  const since = formatDuration(Math.max(0, -leftMs));
  return `${work}; ${expired === 1 ? "one lease" : `${expired} leases`} ran out, the first ${since} ago`;
}
