import { isAbsolute, join, relative, resolve } from "node:path";
import { RalphError } from "../domain/error.ts";
import { closestMatch } from "../domain/closest-match.ts";
import { checkScopeName } from "../domain/scope-name.ts";
import { shellWord } from "../domain/shell-word.ts";
import { foldersIn, kindOf } from "../system/folder.ts";
import { documentOf } from "./document.ts";
import type { ScopeChoice } from "./scope.ts";

export interface KeyPlace {
  /** The workspace. */
  readonly root: string;
  /** What a sprint's folder is relative to. */
  readonly cwd: string;
  /** The folders that may hold changes. Called only for a change: all other keys are known without the configuration. */
  readonly layouts: () => Promise<readonly string[]>;
}

/** The key of the requested scope; undefined if there is none. An unknown name is an error. */
export async function findScopeKey(choice: ScopeChoice, place: KeyPlace): Promise<string | undefined> {
  if (choice.project !== undefined) return (await findProject(choice.project, place.root)).key;
  if (choice.sprint !== undefined) return (await findSprint(choice.sprint, place)).key;
  if (choice.change === undefined) return undefined;
  const documents = { root: place.root, layouts: await place.layouts() };
  return `change/${(await documentOf(documents, "change", choice.change)).id}`;
}

export interface ScopeFolder {
  readonly key: string;
  /** Relative to the workspace, unless it lies outside. */
  readonly folder: string;
}

export async function findProject(name: string, root: string): Promise<ScopeFolder> {
  checkScopeName("project", name);
  const folder = `projects/${name}`;
  const kind = await kindOf(join(root, folder));
  if (kind === "folder") return { key: `project/${name}`, folder };
  if (kind !== undefined) {
    throw new RalphError("config", `${folder} is not a folder, so it cannot be a project`, {
      hint: "Move it away, or choose another name",
    });
  }
  const meant = closestMatch(name, await foldersIn(join(root, "projects")));
  throw new RalphError("config", `Unknown project ${JSON.stringify(name)}: ${folder} does not exist`, {
    hint: `${meant ? `Did you mean --project ${meant}? To create it, run` : "Run"} ralphctl init --project ${shellWord(name)}`,
  });
}

/** Sprints of Claude Code are in `.claude/sprints`. */
function checkFolder(name: string, isAbove: boolean): void {
  const isHidden = isAbove && /^\.[^.]/.test(name) && name !== ".git" && name !== ".ralph";
  checkScopeName("sprint", isHidden ? name.slice(1) : name);
}

export async function findSprint(directory: string, { root, cwd }: Omit<KeyPlace, "layouts">): Promise<ScopeFolder> {
  // An empty name would be the working directory itself.
  if (directory.trim() === "") checkScopeName("sprint", directory);
  const path = resolve(cwd, directory);
  const folder = relative(root, path);
  if (folder === "" || folder === ".." || folder.startsWith("../") || isAbsolute(folder)) {
    throw new RalphError("usage", `The sprint folder ${directory} is not inside the workspace`, {
      hint: `Move it below ${root}`,
    });
  }
  const names = folder.split("/");
  names.forEach((name, index) => checkFolder(name, index < names.length - 1));
  if ((await kindOf(path)) !== "folder") {
    throw new RalphError("usage", `The sprint folder ${directory} does not exist`, {
      hint: "Give the folder that contains SPRINT.yaml or PROGRESS.yaml",
    });
  }
  // By its whole path: two sprints may be called the same.
  return { key: `sprint/${names.join("/")}`, folder };
}
