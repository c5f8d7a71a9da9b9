import type { Repository } from "../src/system/git/repository.ts";
import { checkRepository } from "../src/system/git/unfinished-operation.ts";
import type { GitPlace } from "../src/system/git/git.ts";
import { temporaryRepository } from "./temporary-folder.ts";

/** A folder for our git, with nothing of the machine's own configuration. */
export const placeAt = (folder: string, env: Readonly<Record<string, string>> = {}): GitPlace => ({
  folder,
  env: { PATH: process.env["PATH"], HOME: "/nowhere", GIT_CONFIG_NOSYSTEM: "1", ...env },
});

export const repositoryAt = (folder: string): Promise<Repository> => checkRepository(placeAt(folder));

/** A new repository with these files in its first commit. */
export const newRepository = (files: Readonly<Record<string, string>>): Promise<Repository> =>
  repositoryAt(temporaryRepository(files));
