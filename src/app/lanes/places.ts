import { join } from "node:path";
import { placeOf, placeText, roomNumber } from "../../domain/lane-env.ts";
import { readRow, type LaneRow } from "../../lane/lane-row.ts";
import { entriesIn } from "../../system/folder.ts";
import { withRepository, type Repository } from "../../system/git/repository.ts";
import { placesFolder } from "../run/open-places.ts";
import type { Caller } from "../task/caller.ts";
import { openWorkspace, type Workspace } from "../workspace.ts";

/** A lane or the room, as it is on the disk. */
export interface KnownPlace {
  /** The number of a lane, or the name of a room. */
  readonly name: string;
  readonly folder: string;
  readonly view: string;
  /** Who uses it, or used it last. */
  readonly row: LaneRow | undefined;
}

export interface KnownPlaces {
  readonly parent: string;
  readonly places: readonly KnownPlace[];
}

/** The places of a working tree: lanes by number, then rooms. */
export async function findPlaces(workspace: Workspace, home: Repository, { env }: Pick<Caller, "env">) {
  const parent = placesFolder(home, workspace, env);
  // Before a folder is made there is its row, and after it is removed by hand its view.
  const names = (await entriesIn(parent)).map((name) => /^(\d+|room(?:-\d+)?)(?:\.json|\.view)?$/.exec(name)?.[1]);
  const known = [...new Set(names.filter((name) => name !== undefined))];
  const inOrder = known.toSorted((one, other) => rank(one) - rank(other));
  const places = await Promise.all(
    inOrder.map(async (name): Promise<KnownPlace> => {
      const folder = join(parent, name);
      return { name, folder, view: `${folder}.view`, row: await readRow(folder) };
    }),
  );
  return { parent, places } satisfies KnownPlaces;
}

const MOST_LANES = 1_000_000;

function rank(name: string): number {
  const lane = placeOf(name);
  return typeof lane === "number" ? lane : MOST_LANES + roomNumber(lane)!;
}

/** `lane 1` or `the room`. */
export const placeName = ({ name }: Pick<KnownPlace, "name">): string => placeText(placeOf(name));

/** Looks at the places around a folder. Nothing is changed. */
export async function withPlaces<Result>(
  caller: Caller,
  action: (found: KnownPlaces & { readonly home: Repository; readonly workspace: Workspace }) => Promise<Result>,
): Promise<Result> {
  const workspace = await openWorkspace(caller);
  return await withRepository({ folder: workspace.root, env: caller.env }, async (home) =>
    action({ ...(await findPlaces(workspace, home, caller)), home, workspace }),
  );
}
