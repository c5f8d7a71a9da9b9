import { isMapping } from "../../domain/mapping.ts";
import { matches } from "../../domain/glob.ts";
import type { Members } from "./package-manager-call.ts";
import { below, type Walk } from "./walk.ts";

/** What is needed to find packages. */
type Packages = Pick<Walk, "look" | "decide" | "cannotFollow" | "text" | "parts">;

/** The folders of the packages that a command means, in a workspace whose top is `folder`. */
export async function chosenMembers(walk: Packages, folder: string, chosen: Members): Promise<readonly string[]> {
  const patterns = await memberPatterns(walk, folder);
  const found = new Set<string>();
  for (const pattern of patterns.filter((pattern) => !pattern.startsWith("!"))) {
    for (const member of await foldersOnce(walk, folder, pattern)) found.add(member);
  }
  for (const pattern of patterns.filter((pattern) => /[[{]/.test(pattern)))
    walk.cannotFollow(`packages of \`${pattern}\``);
  const left = patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1));
  const members = [...found].filter((member) => !left.some((pattern) => matches(pattern, inside(folder, member))));
  if (chosen === "all") return members;
  const names = new Map<string, string>();
  for (const member of members) {
    const name = (await walk.parts(below(member, "package.json")))?.["name"];
    if (typeof name === "string") names.set(member, name);
  }
  const wanted = members.filter((member) =>
    chosen.some((wish) => isMeant(wish, inside(folder, member), names.get(member))),
  );
  for (const member of wanted.filter((one) => names.has(one)))
    // A package of another name is not meant any more, and some managers are content with none.
    walk.decide({
      path: below(member, "package.json"),
      keys: ["name"],
      why: "a command means it",
      isDefinition: false,
    });
  // A filter that means none of them may be written in a way that is not known here.
  return wanted.length > 0 ? wanted : members;
}

const inside = (folder: string, path: string): string => (folder === "" ? path : path.slice(folder.length + 1));

/** By folder (`./packages/a`, `packages/*`) or by name (`@me/a`, `@me/*`); pnpm's dots and braces are left off. */
function isMeant(wish: string, path: string, name: string | undefined): boolean {
  const bare = wish.replaceAll(/^\^|^\.{3}\^?|\^?\.{3}$|[{}]/g, "").replace(/^\.\//, "");
  if (bare === "*" || bare === "**" || bare.startsWith("[") || bare.startsWith("!")) return true;
  return (
    matches(bare, path) || (name !== undefined && (name === bare || matches(bare, name) || name.endsWith(`/${bare}`)))
  );
}

async function memberPatterns(walk: Packages, folder: string): Promise<readonly string[]> {
  const manifest = below(folder, "package.json");
  const pnpm = below(folder, "pnpm-workspace.yaml");
  walk.decide({ path: manifest, keys: ["workspaces"], why: "members of the workspace", isDefinition: true });
  walk.decide({ path: pnpm, keys: ["packages"], why: "members of the workspace", isDefinition: true });
  const lerna = below(folder, "lerna.json");
  if (await walk.look.has(lerna))
    walk.decide({ path: lerna, keys: ["packages"], why: "members of the workspace", isDefinition: true });
  const written = (await walk.parts(manifest))?.["workspaces"];
  const listed = [await walk.parts(pnpm), await walk.parts(lerna)].map((parts) => parts?.["packages"]);
  const lists = [isMapping(written) ? written["packages"] : written, ...listed];
  return lists
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .filter((item): item is string => typeof item === "string");
}

const DEEPEST = 6;

interface Step {
  readonly folder: string;
  /** The rest of the pattern. */
  readonly steps: readonly string[];
  readonly depth: number;
}

const known = new WeakMap<Packages["text"], Map<string, Promise<readonly string[]>>>();

/** Hundreds of folders are looked into once for all commands of a gate. */
function foldersOnce(walk: Packages, folder: string, pattern: string): Promise<readonly string[]> {
  const answers = known.get(walk.text) ?? new Map<string, Promise<readonly string[]>>();
  known.set(walk.text, answers);
  const key = `${folder}\0${pattern}`;
  const answer = answers.get(key) ?? foldersLike(walk, { folder, steps: pattern.split("/"), depth: 0 });
  answers.set(key, answer);
  return answer;
}

/** Folders with a `package.json` that a pattern means. */
async function foldersLike(walk: Packages, { folder, steps, depth }: Step): Promise<string[]> {
  const [step, ...rest] = steps;
  if (step === undefined) return (await walk.text(below(folder, "package.json"))) === undefined ? [] : [folder];
  if (step === "" || step === ".") return await foldersLike(walk, { folder, steps: rest, depth });
  if (!/[*?]/.test(step)) return await foldersLike(walk, { folder: below(folder, step), steps: rest, depth });
  if (depth > DEEPEST) return [];
  const names = (await walk.look.names(folder)).filter((name) => name !== "node_modules" && !name.startsWith("."));
  const isAny = step === "**";
  const here: Promise<string[]>[] = isAny ? [foldersLike(walk, { folder, steps: rest, depth: depth + 1 })] : [];
  // A folder's name seldom has a dot, and to ask each file whether it is a folder takes long.
  const inside = names
    .filter((name) => (isAny ? !name.includes(".") : matches(step, name)))
    .map((name) => foldersLike(walk, { folder: below(folder, name), steps: isAny ? steps : rest, depth: depth + 1 }));
  return (await Promise.all([...here, ...inside])).flat();
}
