import { dirname } from "node:path";
import { makeFolder, pathExists } from "../system/folder.ts";
import { hasCloneTruth, keepCloneTruth } from "../system/git/clone.ts";
import { fillIndex, identityOf, isOwnFolder, markFolder } from "../system/git/place-files.ts";
import { ownIndex } from "../system/git/repository.ts";
import { mendView } from "../system/git/view.ts";
import type { Place } from "./place.ts";

/**
 * Makes our view of a place again where a session removed or damaged it. The files of the place stay, and count. True:
 * it was not whole, so earlier looks at it are worth nothing.
 */
export async function mendPlace({ repository: view, home, folder, known }: Place): Promise<boolean> {
  await makeFolder(dirname(folder), { isPrivate: true });
  const isMade = mendView(home, view, known.head);
  if (!hasCloneTruth(view)) keepCloneTruth(view, known.truth);
  const isSame = known.folder !== undefined && identityOf(folder) === known.folder;
  if (isSame && !isOwnFolder(view)) markFolder(view, folder);
  const hasIndex = pathExists(ownIndex(view));
  if (hasIndex && !isMade) return false;
  Object.assign(known, { indexTree: undefined, last: undefined });
  if (isSame && !hasIndex) await fillIndex(view, known.head);
  return true;
}
