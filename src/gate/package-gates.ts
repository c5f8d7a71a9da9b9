import { matches } from "../domain/glob.ts";
import { keptGates, type PinnedGate } from "../domain/gate.ts";
import { isMapping, parseMapping } from "../domain/mapping.ts";
import { shellWord } from "../domain/shell-word.ts";
import { discoverWith } from "./discover.ts";
import { usedModules } from "./discover/go.ts";
import { memberFolders } from "./discover/node-members.ts";
import { nodeManager } from "./discover/node-manager.ts";
import { execBy, scriptsIn } from "./discover/node.ts";
import { parseToml } from "../domain/toml.ts";
import type { Look, Project } from "./source.ts";

/** The one package of a workspace in which files lie; undefined for none and for several. */
export async function packageOf(look: Look, paths: readonly string[]): Promise<string | undefined> {
  const isMember = await membership(look);
  const found = new Set(paths.flatMap((path) => foldersAbove(path).find(isMember) ?? []));
  return found.size === 1 ? [...found][0] : undefined;
}

export const isPackage = async (look: Look, folder: string): Promise<boolean> => (await membership(look))(folder);

/** The deepest first. The top folder is none of them: it is the workspace. */
function foldersAbove(path: string): string[] {
  const steps = path.split("/").slice(0, -1);
  return steps.map((_, index) => steps.slice(0, steps.length - index).join("/"));
}

async function membership(look: Look): Promise<(folder: string) => boolean> {
  const folders = new Set(await memberFolders(look));
  const work = await look.text("go.work");
  for (const module of work === undefined ? [] : usedModules(work)) folders.add(module.replace(/^\.\//, ""));
  folders.delete(".");
  const { workspace } = parseToml((await look.text("Cargo.toml")) ?? "") ?? {};
  const { members, exclude } = isMapping(workspace) ? workspace : {};
  const isIn = (list: unknown, folder: string): boolean =>
    textsIn(list).some((pattern) => sameDepth(pattern, folder) && matches(pattern, folder));
  return (folder) => folders.has(folder) || (isIn(members, folder) && !isIn(exclude, folder));
}

/** A pattern that ends in a plain name covers what lies below it, too, and that is no package. */
const sameDepth = (pattern: string, folder: string): boolean =>
  pattern.includes("**") || pattern.replace(/^\.\/|\/$/g, "").split("/").length === folder.split("/").length;

const textsIn = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((item): item is string => typeof item === "string") : [];

/** The part of the workspace's gates that is about one package, as commands for the top folder. */
export async function packageGates(look: Look, folder: string): Promise<readonly PinnedGate[]> {
  const [whole, own] = await Promise.all([discoverWith(look), discoverWith(packageLook(look, folder))]);
  const ids = new Set(whole.discovery.gates.map(({ id }) => id));
  const below = new Set(
    keptGates(whole.discovery.gates)
      .flatMap(({ run }) => whole.project.reach(run))
      .filter((one) => one.folder === undefined || one.folder === folder)
      .map(({ words }) => words.join(" ")),
  );
  // A script that no gate of the workspace runs must not reject work that all gates accept.
  const scripts = scriptsIn(parseMapping((await look.text(`${folder}/package.json`)) ?? "") ?? {});
  const isPart = (gate: PinnedGate): boolean => {
    const script = scripts.get(scriptOf(gate) ?? "");
    if (script === undefined) return ids.has(gate.id);
    return whole.project.reach(script).every(({ depth, words }) => depth > 0 || below.has(words.join(" ")));
  };
  const parts = keptGates(own.discovery.gates).filter(isPart);
  const place = { look, folder, project: whole.project };
  return await Promise.all(parts.map(async (gate) => await forTop(gate, place)));
}

async function forTop(gate: PinnedGate, place: Place): Promise<PinnedGate> {
  const { folder } = place;
  const id = `${folder}.${gate.id}`.replaceAll(/[^A-Za-z0-9._-]+/g, "-").slice(-64);
  const run = await commandFor(gate, place);
  return { ...gate, id: id.replace(/^[^A-Za-z0-9]+/, ""), run, at: `${folder}/${gate.at ?? ""}` };
}

const scriptOf = ({ at = "" }: PinnedGate): string | undefined => /\(scripts\.(.+)\)$/.exec(at)?.[1];

interface Place {
  readonly look: Look;
  readonly folder: string;
  readonly project: Project;
}

/** Turbo and nx build first what a package needs. */
async function commandFor(gate: PinnedGate, { look, folder, project: { members } }: Place): Promise<string> {
  const script = scriptOf(gate);
  const inFolder = `cd ${shellWord(folder)} && ${gate.run}`;
  if (members === undefined || script === undefined) return inFolder;
  const manager = await nodeManager(look);
  if (members.tasks.has(script)) return execBy(manager, `turbo run ${script} --filter=./${folder}`);
  const name = parseMapping((await look.text(`${folder}/package.json`)) ?? "")?.["name"];
  if (!members.hasNx || typeof name !== "string") return inFolder;
  return execBy(manager, `nx run-many --target=${script} --projects=${shellWord(name)}`);
}

/** Lock files lie at the top, and say which package manager runs the scripts. */
function packageLook(look: Look, folder: string): Look {
  const at = (path: string): string => (path === "" ? folder : `${folder}/${path}`);
  return {
    text: async (path) => (await look.text(at(path))) ?? (LOCKS.test(path) ? await look.text(path) : undefined),
    has: async (path) => (await look.has(at(path))) || (LOCKS.test(path) && (await look.has(path))),
    names: async (path) => await look.names(at(path)),
  };
}

const LOCKS = /^(?:pnpm-lock\.yaml|yarn\.lock|\.yarnrc\.yml|bun\.lockb?|npm-shrinkwrap\.json|package-lock\.json)$/;
