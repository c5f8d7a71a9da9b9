import { matchesAny } from "../domain/glob.ts";
import { groupBy } from "../domain/group.ts";
import { createBreather } from "../system/breather.ts";
import { CODE, isData } from "./resolve/read-data.ts";
import type { Look } from "./source.ts";

/** Folders and files that support tests by their names. Some projects use such a name for their work, too. */
const HELPERS =
  "test[-_]?(?:utils?|helpers?|support|kit|lib|data|setup)|testing|spec_helper|rails_helper|fixtures?|factories|mocks?|stubs?|fakes?|helpers?|support|expected|golden|snapshots?|approved|baselines?|cases|vectors|samples?|answers|setup|assert(?:ions?)?|expect(?:ations?)?|matchers?";
const BY_NAME = new RegExp(String.raw`(?:^|/)(?:__)?(?:${HELPERS})(?:__)?(?:[-_.][^/]*)?(?=/|$)`, "i");

/** Whether a name says that a file may be there for tests only. */
export const mayBeTestHelper = (path: string): boolean => BY_NAME.test(path);

/** How code calls a file: by its name without the ending, or by its folder if that name says nothing. */
function calledName(path: string): string {
  const steps = path.split("/");
  const file = steps.pop()!;
  const stem = (CODE.test(file) && file.replace(/(?:\.d)?\.\w+$/, "")) || file;
  return /^(?:index|__init__|mod|main)$/.test(stem) && steps.length > 0 ? steps.at(-1)! : stem;
}

/** Data, also in code that calls nothing: other code that only tests load may be the work of a library. */
export const mayBeTestData = (path: string, text: string): boolean =>
  CODE.test(path) ? !/\(|=>/.test(text) && !/(?:^|\/)__init__\.py$/.test(path) : isData(path);

interface Named {
  readonly base: Look;
  readonly testFiles: readonly string[];
  /** Files that may use them: at least all that contain one of their `namesOf`. */
  readonly files: readonly string[];
}

/** The names by which code uses a file: its own and, of data, that of its folder: `readdirSync("data")`. */
export const namesOf = (path: string): string[] =>
  [calledName(path), isData(path) ? folderName(path) : ""].filter((name) => name !== "");

/**
 * T-11: those of the files that tests load or read, and no other code does. All at once, and each file is read once: a
 * change must not be able to hide behind thousands of others.
 */
export async function testHelpers(paths: readonly string[], { base, testFiles, files }: Named): Promise<string[]> {
  const uses = new Map(paths.map((path) => [calledName(path), useOf(calledName(path))]));
  const folders = paths.filter(isData).map(folderName);
  const reads = new Map(folders.filter((name) => name !== "").map((name) => [name, readOf(name)]));
  const asked = byRarestWord([...uses.values(), ...reads.values()]);
  const breathe = createBreather();
  for (const file of files.filter((path) => CODE.test(path))) {
    const isTest = matchesAny(testFiles, file);
    if (!isTest && mayBeTestHelper(file)) continue;
    await breathe();
    const text = (await base.text(file)) ?? "";
    const words = new Set(["", ...(text.match(/\w+/g) ?? [])]);
    const used = [...words].flatMap((word) => asked.get(word) ?? []).filter(({ pattern }) => pattern.test(text));
    for (const { tests, others } of used) (isTest ? tests : others).push(file);
  }
  const found: string[] = [];
  for (const path of paths) {
    const its = [uses.get(calledName(path))!, (isData(path) ? reads.get(folderName(path)) : undefined) ?? NONE];
    const isOther = (file: string): boolean => file !== path;
    if (its.some(({ others }) => others.some(isOther)) || !its.some(({ tests }) => tests.some(isOther))) continue;
    // A package of its own is work, whatever it is for.
    if (!(await isInPackage(base, path))) found.push(path);
  }
  return found;
}

interface Use {
  readonly name: string;
  readonly pattern: RegExp;
  /** Files in which it was found. */
  readonly tests: string[];
  /** Neither tests nor helpers by their names. */
  readonly others: string[];
}

const NONE = { tests: [], others: [] } as const;

/**
 * The words of a name are words of each text that uses it. By the rarest of them, a text is asked about few names only.
 * By the empty word: names without one.
 */
function byRarestWord(uses: readonly Use[]): ReadonlyMap<string, readonly Use[]> {
  const wordsOf = ({ name }: Use): string[] => name.match(/\w+/g) ?? [""];
  const counts = new Map<string, number>();
  for (const word of uses.flatMap(wordsOf)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const rarest = (use: Use): string => wordsOf(use).sort((a, b) => counts.get(a)! - counts.get(b)!)[0]!;
  return groupBy(uses, rarest);
}

function useOf(name: string): Use {
  const its = escaped(name);
  const pattern = new RegExp(
    String.raw`["'\x60/.]${its}(?:\.\w+)?["'\x60/]|\b(?:import|from|require|require_relative|use|mod|include|source)\b[^\n]*\b${its}\b`,
  );
  return { name, pattern, tests: [], others: [] };
}

function readOf(name: string): Use {
  const its = escaped(name);
  const pattern = new RegExp(
    String.raw`\b(?:${READS})\b[^\n]*["'\x60/]${its}["'\x60/*)]|go:embed[^\n]*\b${its}\b`,
    "i",
  );
  return { name, pattern, tests: [], others: [] };
}

/** Words of functions that read files. */
const READS =
  "join|resolve|read\\w*|glob\\w*|open|path|include\\w*|walk|scandir|listdir|file\\w*|dir|load\\w*|require|import|from";

/** The name of the folder in which a file lies; empty at the top. */
export const folderName = (path: string): string => path.split("/").at(-2) ?? "";

const escaped = (name: string): string => name.replaceAll(/[^\w-]/g, String.raw`\$&`);

async function isInPackage(base: Look, path: string): Promise<boolean> {
  const steps = path.split("/").slice(0, -1);
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
  const words = new Set(old.match(/\w+/g));
  return after
    .slice(old.length)
    .split("\n")
    .every((line) => {
      const [, declared, exported] = DECLARATION.exec(line) ?? [];
      const name = declared ?? exported;
      return name === undefined ? REST.test(line) : !words.has(name);
    });
}
