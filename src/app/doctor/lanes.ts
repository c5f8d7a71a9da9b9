import { formatSize } from "../../domain/size.ts";
import { unmatchedIncludes } from "../../lane/included-files.ts";
import { useOf } from "../../lane/lane-row.ts";
import { deviceOf, existingFolder, isWritableFolder } from "../../system/folder.ts";
import { freeSpace } from "../../system/free-space.ts";
import { checkGitVersion } from "../../system/git/clone.ts";
import type { Repository } from "../../system/git/repository.ts";
import { type KnownPlace, placeName, withPlaces } from "../lanes/places.ts";
import { stateFolder } from "../../system/state-folder.ts";
import type { Caller } from "../task/caller.ts";
import { type Finding, ok, refused, warning } from "./finding.ts";

const CHECK = "lanes";

/** Whether agents can work beside the person. Nothing is started, and nothing is said of what is in order. */
export async function laneFindings(caller: Caller): Promise<Finding[]> {
  try {
    return await withPlaces(caller, async ({ home, places, parent, workspace }) => {
      await checkGitVersion(home);
      return [
        ...elsewhere(home, { parent, setting: workspace.config.lanes.folder }),
        ...(await folder(parent)),
        ...killed(places),
        ...(await includes(home)),
      ];
    });
  } catch (error) {
    return [refused(CHECK, error)];
  }
}

/** L-02: a clone needs the device of the repository. */
function elsewhere(home: Repository, { parent, setting }: { parent: string; setting: string | null }): Finding[] {
  const state = stateFolder(home.env);
  const isUsual = setting !== null || state === undefined || deviceOf(state) === deviceOf(home.folder);
  return isUsual ? [] : [ok(CHECK, `Lanes are made in ${parent}: ${state} is on another device`)];
}

/** L-42: below it a run has no room for lanes. */
const LEAST_BYTES = 2 * 1024 ** 3;

async function folder(parent: string): Promise<Finding[]> {
  const there = existingFolder(parent);
  if (!isWritableFolder(there)) {
    const fix = "Set lanes.folder to one that you can write to, on the device of the repository";
    return [{ level: "problem", check: CHECK, message: `Lanes cannot be made in ${there}: it is not writable`, fix }];
  }
  const free = await freeSpace(there);
  if (free >= LEAST_BYTES) return [];
  const message = `Lanes have only ${formatSize(Math.floor(free / 1024 ** 2) * 1024 ** 2)} of free space in ${there}`;
  return [warning(CHECK, message, "Free some disk space, or run ralphctl lanes gc")];
}

/** L-05, L-41: lanes whose run was killed. */
const killed = (places: readonly KnownPlace[]): Finding[] =>
  places
    .filter(({ row }) => useOf(row) === "left")
    .map((place) =>
      warning(
        CHECK,
        `Run ${place.row!.run} was killed in ${placeName(place)}, ${place.folder}`,
        "Run ralphctl doctor --fix to save what it left, or ralphctl run to go on with it",
      ),
    );

/** L-04 */
async function includes(home: Repository): Promise<Finding[]> {
  const lines = await unmatchedIncludes(home);
  if (lines.length === 0) return [];
  const message = `.worktreeinclude names files that are not there, or that git does not ignore: ${lines.join(", ")}`;
  return [warning(CHECK, message, "Remove these lines, or make the files")];
}
