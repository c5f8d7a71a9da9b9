import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The files of an example that a seed document gives, or that a tool of its world has made: `test/workspaces/NAME`. */
export function seedFiles(name: string): Record<string, string> {
  const folder = join(import.meta.dirname, "workspaces", name);
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}
