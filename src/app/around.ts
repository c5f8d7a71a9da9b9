import { RalphError } from "../domain/error.ts";
import { gitFolder } from "../system/git/folder.ts";
import { findStore } from "./task-store.ts";

/** What is around a folder. Looks, and creates nothing. */
export async function placeAround(cwd: string): Promise<"workspace" | "repository" | "neither"> {
  try {
    await findStore(cwd);
    return "workspace";
  } catch (error) {
    if (!(error instanceof RalphError) || error.kind !== "config") throw error;
    return gitFolder(cwd) === undefined ? "neither" : "repository";
  }
}
