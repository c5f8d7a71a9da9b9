import { lstatSync, type PathLike, type Stats } from "node:fs";
import { codeOf } from "./error-code.ts";

/** What is at a path, without following links; undefined if nothing is. Node throws if a file is in the place of a folder. */
export function lstatOf(path: PathLike): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (codeOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}
