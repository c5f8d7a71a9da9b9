import type { Mapping } from "../../domain/mapping.ts";
import { isMapping } from "../../domain/mapping.ts";
import { parseJson } from "../../domain/json-text.ts";
import { partsOf } from "../resolve/parts.ts";
import { chosenMembers } from "../resolve/workspaces.ts";
import type { Found, Look } from "../source.ts";
import type { NodeManager } from "./node-manager.ts";
import type { Reach } from "./reach.ts";
import { firstFault } from "./scripts.ts";

/** The packages of a workspace: which of them has which script. */
export interface PackageSet {
  readonly count: number;
  readonly scripts: ReadonlyMap<string, readonly { readonly folder: string; readonly text: string }[]>;
  /** The tasks that turbo runs in all packages. */
  readonly tasks: ReadonlySet<string>;
  readonly hasNx: boolean;
}

/** Undefined if the project is one package. */
export async function readMembers(look: Look, manifest: Mapping): Promise<PackageSet | undefined> {
  const isOne = manifest["workspaces"] === undefined && !(await look.has("pnpm-workspace.yaml"));
  if (isOne) return undefined;
  const folders = await memberFolders(look);
  const scripts = new Map<string, { folder: string; text: string }[]>();
  await Promise.all(
    folders.map(async (folder) => {
      const own = parseJson((await look.text(`${folder}/package.json`)) ?? "")?.["scripts"];
      for (const [name, text] of isMapping(own) ? Object.entries(own) : []) {
        if (typeof text !== "string") continue;
        const list = scripts.get(name) ?? [];
        list.push({ folder, text });
        scripts.set(name, list);
      }
    }),
  );
  const turbo = parseJson((await look.text("turbo.json")) ?? "") ?? {};
  const tasks = turbo["tasks"] ?? turbo["pipeline"];
  return {
    count: folders.length,
    scripts,
    tasks: new Set(isMapping(tasks) ? Object.keys(tasks) : []),
    hasNx: await look.has("nx.json"),
  };
}

/** The folders of the packages of a workspace. */
export const memberFolders = async (look: Look): Promise<readonly string[]> =>
  await chosenMembers(
    {
      look,
      decide: () => undefined,
      cannotFollow: () => undefined,
      text: look.text,
      async parts(path) {
        const text = await look.text(path);
        return text === undefined ? undefined : partsOf(path, text);
      },
    },
    "",
    "all",
  );

/** How a package manager runs a script in every package that has it. */
const EVERYWHERE: Readonly<Record<NodeManager["name"], (name: string) => string>> = {
  npm: (name) => `npm run ${name} --workspaces --if-present`,
  pnpm: (name) => `pnpm --recursive --if-present run ${name}`,
  yarn: (name) => `yarn workspaces run ${name}`,
  bun: (name) => `bun run --filter '*' ${name}`,
};

interface Asked {
  readonly names: readonly string[];
  readonly manager: NodeManager;
  readonly exec: (command: string) => string;
  readonly reach: Reach;
}

/** The gate for scripts that only packages have; the first of the names that one of them has. */
export function memberGate(members: PackageSet, { names, manager, exec, reach }: Asked): Found | undefined {
  const name = names.find((one) => members.scripts.has(one));
  if (name === undefined) return undefined;
  const having = members.scripts.get(name)!;
  const at = `package.json of ${having.length} of ${members.count} packages (scripts.${name})`;
  const run = commandFor(name, { members, manager, exec });
  const texts = [...new Set(having.map(({ text }) => text))];
  const why =
    run === undefined
      ? "yarn 1 runs a script in all packages only if each of them has it"
      : texts.map((text) => firstFault(reach(text))).find((fault) => fault !== undefined);
  const what = run ?? EVERYWHERE.yarn(name);
  if (run === undefined || why !== undefined) return { gates: [], leftOut: [{ what, at, why: why! }] };
  return { gates: [{ id: name.replaceAll(/[^A-Za-z0-9._-]+/g, "-"), run, script: texts.toSorted().join("\n"), at }] };
}

function commandFor(
  name: string,
  { members, manager, exec }: Pick<Asked, "manager" | "exec"> & { readonly members: PackageSet },
): string | undefined {
  if (members.tasks.has(name)) return exec(`turbo run ${name}`);
  if (members.hasNx) return exec(`nx run-many --target=${name}`);
  if (manager.isBerry) return `CI=1 yarn workspaces foreach --all --topological-dev run ${name}`;
  if (manager.name === "yarn" && members.scripts.get(name)?.length !== members.count) return undefined;
  return `CI=1 ${EVERYWHERE[manager.name](name)}`;
}
