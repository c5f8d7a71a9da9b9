import { isMapping } from "../../domain/mapping.ts";
import { type ManagerCall, readManagerCall } from "./package-manager-call.ts";
import { below, type Call, pathIn, type Resolver, shown, type Walk } from "./walk.ts";
import { chosenMembers } from "./workspaces.ts";

/** Run by an installation, so also when a lane or the room is prepared. */
const LIFECYCLE = ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"];

/**
 * npm, pnpm, yarn and bun, the programs that run several scripts, and the ones that run a script in each package.
 * Not followed: filters by what changed in git; such a filter is taken as all packages.
 */
export const packageManager: Resolver = (call, walk) => {
  const asked = readManagerCall(call);
  return asked !== undefined && followManager(call, walk, asked);
};

async function followManager(call: Call, walk: Walk, asked: ManagerCall): Promise<true> {
  const folder = asked.folder === undefined ? call.folder : pathIn(call.folder, asked.folder);
  if (folder === undefined) {
    walk.cannotFollow(`\`${shown([call.program, ...call.args])}\`: its folder is known only when it runs`);
    return true;
  }
  decideInstallation(walk, folder);
  const members = asked.members === undefined ? [folder] : await chosenMembers(walk, folder, asked.members);
  const depth = call.depth + 1;
  for (const member of members) {
    if (asked.isInstall === true) await followInstallation(walk, { folder: member, depth });
    for (const name of asked.scripts) await followScripts(walk, name, { folder: member, depth });
    if (asked.maybeScript === undefined) continue;
    const scripts = await scriptsIn(walk, member);
    const [name = ""] = asked.maybeScript;
    if (scripts.has(name)) await followScripts(walk, name, { folder: member, depth });
    else await walk.followWords(asked.maybeScript, { folder: member, depth, isRead: call.isRead });
  }
  for (const text of asked.texts) await walk.follow(text, { folder, depth, isRead: call.isRead });
  if (asked.words !== undefined) {
    for (const member of members) await walk.followWords(asked.words, { folder: member, depth, isRead: call.isRead });
  }
  return true;
}

function decideInstallation(walk: Walk, folder: string): void {
  const keys = LIFECYCLE.map((name) => `scripts.${name}`);
  walk.decide({ path: below(folder, "package.json"), keys, why: "runs at installation", isDefinition: false });
}

async function followInstallation(walk: Walk, { folder, depth }: ScriptPlace): Promise<void> {
  const scripts = await scriptsIn(walk, folder);
  for (const name of LIFECYCLE) await walk.follow(scripts.get(name) ?? "", { folder, depth });
}

interface ScriptPlace {
  readonly folder: string;
  readonly depth: number;
}

/** One script, or all that a pattern such as `test:*` means. */
async function followScripts(walk: Walk, name: string, place: ScriptPlace): Promise<void> {
  const scripts = await scriptsIn(walk, place.folder);
  const pattern = patternOf(name);
  const names = pattern === undefined ? [name] : [...scripts.keys()].filter((script) => pattern.test(script));
  for (const script of names) await followScript(walk, script, { ...place, scripts });
}

async function followScript(
  walk: Walk,
  name: string,
  { folder, depth, scripts }: ScriptPlace & { readonly scripts: ReadonlyMap<string, string> },
): Promise<void> {
  const isThere = scripts.has(name);
  if (!isThere && depth === 1) walk.markNew();
  const around = [`pre${name}`, name, `post${name}`];
  walk.decide({
    path: below(folder, "package.json"),
    keys: around.map((script) => `scripts.${script}`),
    why: isThere ? `script ${name}` : `script ${name}, which was not there`,
    isDefinition: isThere,
    ...(!isThere && { isTest: true }),
  });
  for (const script of around) {
    const text = scripts.get(script);
    if (text !== undefined) await walk.follow(text, { folder, depth });
  }
}

/** `test:*` of npm-run-all and bun, `/^test:/` of pnpm. */
export function patternOf(name: string): RegExp | undefined {
  const written = /^\/(.+)\/[a-z]*$/.exec(name)?.[1];
  try {
    if (written !== undefined) return new RegExp(written);
  } catch {
    return undefined; // then it is a name
  }
  if (!name.includes("*")) return undefined;
  const escaped = name.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll(/\*+/g, (stars) => (stars.length > 1 ? ".*" : "[^:]*"))}$`);
}

async function scriptsIn(walk: Walk, folder: string): Promise<ReadonlyMap<string, string>> {
  const written = (await walk.parts(below(folder, "package.json")))?.["scripts"];
  const scripts = new Map<string, string>();
  if (!isMapping(written)) return scripts;
  for (const name of Object.keys(written)) {
    const text = written[name];
    if (typeof text === "string") scripts.set(name, text);
  }
  return scripts;
}
