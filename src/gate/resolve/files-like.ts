import { matches } from "../../domain/glob.ts";
import { below, type Walk } from "./walk.ts";

const ENDINGS = ["", ".js", ".mjs", ".cjs", ".ts", ".mts", ".py", ".sh", ".json", "/index.js", "/index.ts"];

const DEEPEST_FOLDER = 4;

/** The files that `checks/*.sh`, `checks/**\/*.sh` and `packages/*\/check.sh` mean. */
export async function filesLike(walk: Walk, pattern: string): Promise<string[]> {
  const steps = pattern.split("/");
  const first = steps.findIndex((step) => /[*?]/.test(step));
  const isDeep = steps.includes("**");
  const found: string[] = [];
  let level = [steps.slice(0, first).join("/")];
  for (let depth = 0; depth < (isDeep ? DEEPEST_FOLDER : steps.length - first); depth += 1) {
    const next: string[] = [];
    for (const at of level) for (const name of await walk.look.names(at)) next.push(below(at, name));
    found.push(...next.filter((path) => matches(pattern, path)));
    const wanted = isDeep ? "**" : steps.slice(0, first + depth + 1).join("/");
    level = next.filter((path) => !/(?:^|\/)(?:node_modules|\.git)$/.test(path) && matches(wanted, path));
  }
  return found;
}

/** The file that a path means, also without its ending. */
export async function fileLike(walk: Walk, path: string): Promise<{ path: string; text: string } | undefined> {
  for (const ending of ENDINGS) {
    const text = await walk.text(path + ending);
    if (text !== undefined) return { path: path + ending, text };
  }
  return undefined;
}
