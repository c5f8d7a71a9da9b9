import { RalphError } from "../../domain/error.ts";
import { processorCount } from "../../system/processors.ts";
import type { Workspace } from "../workspace.ts";

/** L-01: how many lanes work at once. */
export function laneCount({ lanes }: Pick<Workspace["config"], "lanes">): number {
  const { count, inPlace } = lanes;
  if (!inPlace) return count === "auto" ? Math.max(2, Math.min(4, Math.floor(processorCount() / 2))) : count;
  if (count === 1 || count === "auto") return 1;
  throw new RalphError("usage", `Your own files are one place, so ${count} agents cannot work in them at once`, {
    hint: "Leave out --in-place (lanes.inPlace), or --lanes (lanes.count)",
  });
}
