import { join } from "node:path";
import { RalphError } from "../../domain/error.ts";
import { checkInside, entriesIn, kindOf } from "../../system/folder.ts";
import { taskDatabases } from "../task/import-database.ts";
import type { Finder, FoundItem } from "./found.ts";

/** Where other tools keep their tasks. */
const FILES = [".ralph/progress.db", ".taskmaster/tasks/tasks.json", "tasks/tasks.json"];
const BEADS = ".beads";

export const findDatabases: Finder = async ({ root, isImported }) => {
  const issues = (await entriesIn(join(root, BEADS))).map((name) => `${BEADS}/${name}`);
  const exported = issues.filter((file) => taskDatabases.some((one) => one.kind === "text" && one.matches(file)));
  // Beads once called the file after the project: its usual name goes first.
  const beads = exported.includes(`${BEADS}/issues.jsonl`) ? [`${BEADS}/issues.jsonl`] : exported.slice(0, 1);
  const found: FoundItem[] = [];
  for (const name of [...FILES, ...beads]) {
    const path = join(root, name);
    if ((await kindOf(path)) !== "file") continue;
    const database = taskDatabases.find((one) => one.matches(name))!;
    const what = `tasks of ${database.tool}`;
    const problem = await outside(root, path);
    if (problem !== undefined) found.push({ name, what, use: problem });
    else if (await isImported(name)) found.push({ name, what, use: "imported: ralphctl reads it no more" });
    else
      found.push({
        name,
        what,
        use: `not imported yet: ralphctl task import ${name}`,
        database: { name, path, database },
      });
  }
  return found;
};

async function outside(root: string, path: string): Promise<string | undefined> {
  try {
    await checkInside(root, path);
    return undefined;
  } catch (error) {
    if (error instanceof RalphError) return error.message;
    throw error;
  }
}
