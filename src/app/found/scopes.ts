import { join } from "node:path";
import { groupBy } from "../../domain/group.ts";
import { SPEC_KIT, SPEC_KIT_FEATURES } from "../../domain/layouts.ts";
import { namesInLine } from "../../domain/verdict-report.ts";
import { listDocuments } from "../../scope/scope.ts";
import { foldersIn, kindOf } from "../../system/folder.ts";
import type { Finder } from "./found.ts";

const MOST_NAMED = 3;

/** Changes of OpenSpec, ito and spool, and features of spec-kit. */
export const findChanges: Finder = async ({ root, layouts }) => {
  const changes = await listDocuments({ root, layouts }, "change");
  const byFolder = groupBy(changes, ({ folder }) => folder.slice(0, folder.lastIndexOf("/")));
  return [...byFolder].map(([folder, list]) => ({
    name: `${folder}/`,
    what: `${folder === SPEC_KIT_FEATURES ? "features of spec-kit" : "changes"}: ${namesInLine(
      list.map(({ id }) => id),
      MOST_NAMED,
    )}`,
    use: "each has its own tasks: ralphctl run --change ID, or all: ralphctl run --continue-ready",
  }));
};

const SPRINTS = ["sprints", ".claude/sprints"];

export const findSprints: Finder = async ({ root }) => {
  const lists = await Promise.all(
    SPRINTS.map(async (above) => (await foldersIn(join(root, above))).map((name) => `${above}/${name}`)),
  );
  const sprints: string[] = [];
  for (const folder of lists.flat()) {
    const kinds = ["SPRINT.yaml", "PROGRESS.yaml"].map(async (name) => await kindOf(join(root, folder, name)));
    if ((await Promise.all(kinds)).includes("file")) sprints.push(folder);
  }
  if (sprints.length === 0) return [];
  const [first = ""] = sprints;
  const name = `${first.slice(0, first.lastIndexOf("/"))}/`;
  const what = `sprints: ${namesInLine(
    sprints.map((folder) => folder.slice(folder.lastIndexOf("/") + 1)),
    MOST_NAMED,
  )}`;
  return [{ name, what, use: `ralphctl run --sprint ${first}` }];
};

/** What people told the loops of ito and spool. */
export const findContexts: Finder = async ({ root, layouts }) => {
  const found = [];
  for (const layout of layouts.filter((each) => each !== SPEC_KIT)) {
    const above = `${layout}/.state/ralph`;
    const changes: string[] = [];
    for (const change of await foldersIn(join(root, above))) {
      const kinds = ["context.md", "context.txt"].map(async (name) => await kindOf(join(root, above, change, name)));
      if ((await Promise.all(kinds)).includes("file")) changes.push(change);
    }
    if (changes.length > 0) {
      found.push({
        name: `${above}/`,
        what: `context of ${namesInLine(changes, MOST_NAMED)}`,
        use: "part of the prompts of these changes",
      });
    }
  }
  return found;
};
