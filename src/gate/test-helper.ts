import { matchesAny } from "../domain/glob.ts";
import { CODE, isData } from "./resolve/read-data.ts";
import type { Look } from "./source.ts";

/** Folders and files that support tests by their names. Some projects use such a name for their work, too. */
const HELPERS =
  "test[-_]?(?:utils?|helpers?|support|kit|lib|data|setup)|testing|spec_helper|rails_helper|fixtures?|factories|mocks?|stubs?|fakes?|helpers?|support|expected|golden|snapshots?|approved|baselines?|cases|vectors|samples?|answers|setup";
const BY_NAME = new RegExp(String.raw`(?:^|/)(?:__)?(?:${HELPERS})(?:__)?(?:[-_.][^/]*)?(?=/|$)`, "i");

/** Whether a name says that a file may be there for tests only. */
export const mayBeTestHelper = (path: string): boolean => BY_NAME.test(path);

/** How code calls a file: by its name without the ending, or by its folder if that name says nothing. */
export function calledName(path: string): string {
  const steps = path.split("/");
  const file = steps.pop()!;
  const stem = CODE.test(file) ? file.replace(/(?:\.d)?\.\w+$/, "") : file;
  return /^(?:index|__init__|mod|main)$/.test(stem) && steps.length > 0 ? steps.at(-1)! : stem;
}

interface Users {
  readonly base: Look;
  readonly testFiles: readonly string[];
  /** Files that contain the name. */
  readonly files: readonly string[];
  /** Of data: files that contain the name of its folder. */
  readonly around?: readonly string[];
}

/** Data, also in code that calls nothing: other code that only tests load may be the work of a library. */
export const mayBeTestData = (path: string, text: string): boolean =>
  CODE.test(path) ? !/\(|=>/.test(text) && !/(?:^|\/)__init__\.py$/.test(path) : isData(path);

/** T-11: whether tests load or read a file, and no other code does. */
export async function isTestHelper(path: string, users: Users): Promise<boolean> {
  const { tests, others } = await usersOf(path, users);
  return tests && !others;
}

/** Who uses a file by its name, or data by the name of its folder: `readdirSync("data")`. */
async function usersOf(path: string, { base, testFiles, files, around = [] }: Users) {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  // A package of its own is work, whatever it is for.
  if (folder !== "" && (await isInPackage(base, folder))) return { tests: false, others: true };
  const name = escaped(calledName(path));
  const uses = new RegExp(
    String.raw`["'\x60/.]${name}(?:\.\w+)?["'\x60/]|\b(?:import|from|require|require_relative|use|mod|include|source)\b[^\n]*\b${name}\b`,
  );
  const reads = new RegExp(
    String.raw`\b(?:${READS})\b[^\n]*["'\x60/]${escaped(folderName(path))}["'\x60/*)]|go:embed[^\n]*\b${escaped(folderName(path))}\b`,
    "i",
  );
  const found = { tests: false, others: false };
  const asked = [...files.map((file) => [file, uses] as const), ...around.map((file) => [file, reads] as const)];
  for (const [file, pattern] of asked) {
    if (file === path || !CODE.test(file) || !pattern.test((await base.text(file)) ?? "")) continue;
    if (matchesAny(testFiles, file)) found.tests = true;
    else if (!mayBeTestHelper(file)) return { ...found, others: true };
  }
  return found;
}

/** Words of functions that read files. */
const READS =
  "join|resolve|read\\w*|glob\\w*|open|path|include\\w*|walk|scandir|listdir|file\\w*|dir|load\\w*|require|import|from";

/** The name of the folder in which a file lies; empty at the top. */
export const folderName = (path: string): string => path.split("/").at(-2) ?? "";

const escaped = (name: string): string => name.replaceAll(/[^\w-]/g, String.raw`\$&`);

async function isInPackage(base: Look, folder: string): Promise<boolean> {
  const steps = folder.split("/").slice(0, -1);
  for (const at of steps.keys()) {
    const above = steps.slice(0, at + 1).join("/");
    if (!mayBeTestHelper(above)) continue;
    if ((await base.names(above)).some((name) => /^(?:package\.json|pyproject\.toml|Cargo\.toml|go\.mod)$/.test(name)))
      return true;
  }
  return false;
}

const DECLARATION =
  /^(?:(?:export|async|pub|default)\s+)*(?:function\*?|def|class|const|func|fn)\s+(\w+)|^exports\.(\w+)\s*=/;
const REST = /^(?:\s|[)}\]]|\/\/|#|\/?\*|$)/;

/** Whether a file only got new names at its end: no test that was there uses these. */
export function hasOnlyNewNames(before: string, after: string): boolean {
  const old = before.trimEnd();
  if (!after.startsWith(old)) return false;
  return after
    .slice(old.length)
    .split("\n")
    .every((line) => {
      const [, declared, exported] = DECLARATION.exec(line) ?? [];
      const name = declared ?? exported;
      return name === undefined ? REST.test(line) : !new RegExp(String.raw`\b${name}\b`).test(old);
    });
}
