import { isMapping } from "../../domain/mapping.ts";
import { fileLike } from "./files-like.ts";
import { below, pathIn, type Walk } from "./walk.ts";
import { chosenMembers } from "./workspaces.ts";

/** In larger workspaces only a folder that is called as the package is looked for: a claim must not wait. */
const MOST_MEMBERS = 50;

/** Packages that hold settings by their names. Others may be the work: a plugin of the product. */
const SETTINGS = /config|preset|eslint|prettier|babel|stylelint|jest|vitest|mocha|lint|rules|typescript/i;
const SPECIFIER = /^(@[\w.-]+\/[\w.-]+|[a-z\d][\w.-]*)(?:\/([\w./-]+))?$/i;

/** What a tool reads of a package that it is given by name alone. */
const READ = ["index", "jest-preset", "tsconfig.json", "index.json"];

/** T-10: the file that a setting means by the name of a package of the workspace: `extends: "@me/tsconfig/base.json"`. */
export async function memberFile(walk: Walk, folder: string, word: string): Promise<string | undefined> {
  const [, name = "", inner] = SPECIFIER.exec(word) ?? [];
  if (name === "" || !SETTINGS.test(name)) return undefined;
  return await findOnce(
    walk,
    { folder, what: `file ${word}`, called: name.slice(name.indexOf("/") + 1) },
    async (member) => {
      const manifest = (await walk.parts(below(member, "package.json"))) ?? {};
      if (manifest["name"] !== name) return undefined;
      for (const entry of [...entriesOf(manifest, inner), ...(inner === undefined ? READ : [inner])]) {
        const path = pathIn(member, entry);
        const found = path === undefined || path === "" ? undefined : await fileLike(walk, path);
        if (found !== undefined) return found.path;
      }
      return undefined;
    },
  );
}

/** The file that a package of the workspace gives as a program of this name. */
export const memberProgram = async (walk: Walk, folder: string, program: string): Promise<string | undefined> =>
  await findOnce(walk, { folder, what: `program ${program}`, called: program }, async (member) => {
    const { name, bin } = (await walk.parts(below(member, "package.json"))) ?? {};
    const entry = isMapping(bin) ? bin[program] : name === program ? bin : undefined;
    const path = typeof entry === "string" ? pathIn(member, entry) : undefined;
    return path !== undefined && (await walk.text(path)) !== undefined ? path : undefined;
  });

type Found = Promise<string | undefined>;

/** Hundreds of packages may ask the same. */
const known = new WeakMap<Walk, Map<string, Found>>();

interface Wanted {
  readonly folder: string;
  readonly what: string;
  /** How the folder of the package is called in a large workspace. */
  readonly called: string;
}

async function findOnce(walk: Walk, { folder, what, called }: Wanted, find: (member: string) => Found): Found {
  const answers = known.get(walk) ?? new Map<string, Found>();
  known.set(walk, answers);
  // Most workspaces are the whole repository. Where a gate runs in another folder, that may be one.
  for (const top of new Set(["", folder.split("/")[0]!])) {
    const key = `${top}\0${what}`;
    const answer = answers.get(key) ?? firstMember(walk, { folder: top, what, called }, find);
    answers.set(key, answer);
    const found = await answer;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Members only tell what a name means, so none of them decides by that. */
async function firstMember(walk: Walk, { folder, called }: Wanted, find: (member: string) => Found): Found {
  const quiet = { ...walk, decide: () => undefined, cannotFollow: () => undefined };
  const members = await chosenMembers(quiet, folder, "all");
  const isCalled = (member: string): boolean => member.slice(member.lastIndexOf("/") + 1) === called;
  for (const member of members.length <= MOST_MEMBERS ? members : members.filter(isCalled)) {
    const found = await find(member);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The files to which `exports` and `main` lead. */
function entriesOf({ exports, main }: Readonly<Record<string, unknown>>, inner: string | undefined): string[] {
  const wanted = inner === undefined ? "." : `./${inner}`;
  const chosen =
    isMapping(exports) && Object.keys(exports).some((key) => key.startsWith(".")) ? exports[wanted] : exports;
  return [...textsIn(chosen), ...(inner === undefined && typeof main === "string" ? [main] : [])];
}

const textsIn = (value: unknown): string[] =>
  typeof value === "string" ? [value] : isMapping(value) ? Object.values(value).flatMap(textsIn) : [];
