import { isMapping, type Mapping } from "../../domain/mapping.ts";
import { parseJson } from "../../domain/json-text.ts";
import type { Look } from "../source.ts";

/** A package manager of Node's, as a project uses it. */
export interface NodeManager {
  readonly name: "npm" | "pnpm" | "yarn" | "bun";
  /** Yarn 2 and later. */
  readonly isBerry: boolean;
  /** The lock files that are there. */
  readonly locks: readonly string[];
}

/** Lock files by the program that writes them. Where several lie side by side, the first. */
const LOCKS = [
  ["pnpm", ["pnpm-lock.yaml"]],
  ["yarn", ["yarn.lock"]],
  ["bun", ["bun.lock", "bun.lockb"]],
  ["npm", ["npm-shrinkwrap.json", "package-lock.json"]],
] as const;

export const NODE_LOCKS: readonly string[] = LOCKS.flatMap(([, files]) => files);

/** `packageManager` in package.json decides between lock files, and if there is none. */
export async function nodeManager(look: Look, manifest?: Mapping): Promise<NodeManager> {
  const there = await Promise.all(LOCKS.map(async ([, files]) => await filesAmong(look, files)));
  const locked = LOCKS.map(([name], index) => ({ name, locks: there[index]! })).filter(({ locks }) => locks.length > 0);
  const declared = declaredManager(manifest ?? parseJson((await look.text("package.json")) ?? "") ?? {});
  const chosen = locked.find(({ name }) => name === declared?.name) ?? locked[0];
  const name = chosen?.name ?? declared?.name ?? "npm";
  const isBerry = name === "yarn" && ((declared?.name === "yarn" && declared.major > 1) || (await isOfBerry(look)));
  return { name, isBerry, locks: chosen?.locks ?? [] };
}

/** Its settings are another file, and its lock files begin with another part. */
const isOfBerry = async (look: Look): Promise<boolean> =>
  (await look.has(".yarnrc.yml")) || /^__metadata:/m.test((await look.text("yarn.lock")) ?? "");

/** `yarn@4.1.0`, or the newer `devEngines`. */
function declaredManager({ packageManager, devEngines }: Mapping) {
  const engine = isMapping(devEngines) ? devEngines["packageManager"] : undefined;
  const text =
    typeof packageManager === "string"
      ? packageManager
      : isMapping(engine)
        ? `${String(engine["name"])}@${String(engine["version"])}`
        : "";
  const found = /^(npm|pnpm|yarn|bun)@\D*(\d*)/.exec(text);
  return found === null ? undefined : { name: found[1] as NodeManager["name"], major: Number(found[2]) };
}

export async function filesAmong(look: Look, paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(async (path) => await look.has(path)));
  return paths.filter((_, index) => found[index]);
}
