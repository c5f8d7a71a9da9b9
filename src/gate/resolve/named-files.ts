import { posix } from "node:path";
import { isMapping } from "../../domain/mapping.ts";
import { isCheckingModule } from "./code.ts";
import { isProduct } from "./product.ts";
import { fileLike } from "./files-like.ts";
import { memberFile } from "./member-files.ts";
import { importedFiles, moduleFiles } from "./python.ts";
import { wordsOfVariables } from "./variables.ts";
import { below, pathIn, type Walk } from "./walk.ts";

const NAMES =
  "setupFiles(?:AfterEnv)?|globalSetup|globalTeardown|preset|extends?|reporters?|runner|testEnvironment|environment|resolver|testRunner|require|preload|transform|snapshotSerializers|plugins|jsPlugins|prettier";
const KEYS = new RegExp(`^(?:${NAMES})$`);
const SETTING = new RegExp(
  String.raw`(?<!\w)["']?(?:${NAMES})["']?\s*[:=]\s*(?:[\w$.]{1,60}(?=\())?([[{("'\x60])`,
  "g",
);
const CLOSING: Readonly<Record<string, string>> = { "[": "]", "{": "}", "(": ")" };
const QUOTED = /["'`]([^"'`\n]+)["'`]/g;
const IMPORTED =
  /(?:(?:\bfrom|\bimport|\brequire(?:\.resolve)?\(|\bimport\()\s*["'](\.{1,2}\/[^"'\n]+)|["'](<rootDir>\/[^"'\n$*]+))["']/g;
const PACKAGE = /(?:\bfrom|\bimport|\brequire(?:\.resolve)?\(|\bimport\()\s*["']([@\w][^"'\n:]*)["']/g;
const CODE_FILE = /\.[cm]?[jt]s$/;

/** Set-up files, bases and plugins that a configuration names literally; one level, and one more in a package. */
export async function decideNamed(walk: Walk, path: string, folder: string): Promise<void> {
  const text = (await walk.text(path)) ?? "";
  const decide = (named: string): void => walk.decide({ path: named, why: `${path} names it`, isDefinition: false });
  const words = await wordsOf(walk, path, text);
  const imports = CODE_FILE.test(path) ? [...text.matchAll(PACKAGE)].map(([, word]) => word!) : [];
  for (const word of new Set([...words, ...imports])) {
    const member = await memberFile(walk, folder, word);
    if (member === undefined || member === path) continue;
    decide(member);
    // Its own package lies elsewhere, so that this ends.
    await decideBeside(walk, member);
  }
  for (const word of words) {
    if (!/[./]/.test(word)) continue;
    const named = pathIn(folder, word.replace("<rootDir>", "."));
    if (named === undefined || named === "" || /(?:^|\/)(?:node_modules|vendor)\//.test(named)) continue;
    const found = (await fileLike(walk, named)) ?? (await fileLike(walk, `${named}/jest-preset`));
    if (found !== undefined && found.path !== path) decide(found.path);
  }
  for (const [, beside, inRoot = ""] of CODE_FILE.test(path) ? text.matchAll(IMPORTED) : []) {
    const named = pathIn(folder, (beside ?? inRoot).replace("<rootDir>", "."));
    const found = named === undefined || isProduct(folder, named) ? undefined : await fileLike(walk, named);
    if (found !== undefined && !found.path.endsWith("package.json")) decide(found.path);
  }
  for (const file of pythonFiles(path, text, folder)) if ((await walk.text(file)) !== undefined) decide(file);
}

/** Files beside the settings of a package, which these load: all of it is there to check. */
async function decideBeside(walk: Walk, path: string): Promise<void> {
  for (const [, word = ""] of CODE_FILE.test(path) ? ((await walk.text(path)) ?? "").matchAll(IMPORTED) : []) {
    const named = pathIn(posix.dirname(path), word);
    const found = named === undefined ? undefined : await fileLike(walk, named);
    if (found !== undefined && !found.path.endsWith("package.json"))
      walk.decide({ path: found.path, why: `${path} names it`, isDefinition: false });
  }
}

/** The words of a configuration that may name files. */
async function wordsOf(walk: Walk, path: string, text: string): Promise<string[]> {
  if (/phpunit\.xml/.test(path)) return [...text.matchAll(/\bbootstrap="([^"]+)"/g)].map(([, word]) => word!);
  if (path.endsWith("pom.xml")) return [...text.matchAll(/>([\w.][\w./-]*\/?[\w-]+\.xml)</g)].map(([, word]) => word!);
  if (path.endsWith(".rspec")) {
    const named = [...text.matchAll(/(?:--require|-r)[ =]?(\S+)/g)].map(([, word]) => word!);
    return named.flatMap((word) => [word, `${word}.rb`, `spec/${word}.rb`]);
  }
  if (/(?:^|\/)\.(?:env[\w.-]*|npmrc)$/.test(path)) return wordsOfVariables(text);
  if (CODE_FILE.test(path)) return settingsIn(text);
  return textsUnder(await walk.parts(path), false);
}

/** The words of its settings. Each place of the text is looked at once, however many settings begin there. */
function settingsIn(text: string): string[] {
  const closings = new Map<string, number>();
  const closingAfter = (mark: string, at: number): number => {
    const known = closings.get(mark);
    if (known !== undefined && (known < 0 || known >= at)) return known;
    const found = text.indexOf(mark, at);
    closings.set(mark, found);
    return found;
  };
  const words: string[] = [];
  let read = 0;
  for (const { index, 0: head, 1: open = "" } of text.matchAll(SETTING)) {
    const start = index + head.length;
    const end = start <= read ? -1 : closingAfter(CLOSING[open] ?? open, start);
    if (end < 0) continue;
    read = end + 1;
    for (const [, word = ""] of text.slice(start - 1, read).matchAll(QUOTED)) words.push(word);
  }
  return words;
}

/** The texts under keys that name files. The `exports` of a package are the work. */
function textsUnder(value: unknown, isNamed: boolean): string[] {
  if (typeof value === "string") return isNamed ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => textsUnder(item, isNamed));
  if (!isMapping(value)) return [];
  const entries = Object.entries(value).filter(([key]) => !/^(?:exports|imports|\w*[dD]ependencies)$/.test(key));
  return entries.flatMap(([key, inner]) => textsUnder(inner, isNamed || KEYS.test(key)));
}

/** Plugins of pytest, mypy and pylint: those of a conftest.py, `-p` of options, and `plugins = …`. */
function pythonFiles(path: string, text: string, folder: string): string[] {
  if (/(?:^|\/)conftest\.py$/.test(path)) {
    const [list = ""] = /^pytest_plugins\s*=\s*(?:[[(][^\])]*|["'][^"'\n]*["'])/m.exec(text) ?? [];
    const plugins = [...list.matchAll(QUOTED)].map(([, name]) => name!);
    const files = [folder, ""].flatMap((from) => plugins.flatMap((name) => moduleFiles(from, name)));
    const stars = text.split("\n").filter((line) => /^from\s.*import\s+\*/.test(line));
    const inFolder = { at: folder, folder: "" };
    // It imports the product, too.
    const helpers = importedFiles(text, inFolder).filter(isCheckingModule);
    return [...files, ...importedFiles(stars.join("\n"), inFolder), ...helpers];
  }
  if (!/(?:pytest\.ini|pyproject\.toml|setup\.cfg|tox\.ini|mypy\.ini|pylintrc)$/.test(path)) return [];
  const named = [...text.matchAll(/(?<![\w-])-p[ =]?(?:["'],\s*["'])?([A-Za-z_][\w.]*)/g)].map(([, name]) => name!);
  const loaded = [...text.matchAll(/^[ \t]*(?:load-)?plugins[ \t]*=([^\n]*)/gm)].flatMap(
    ([, list = ""]) => list.match(/[A-Za-z_][\w.]*/g) ?? [],
  );
  return [...named, ...loaded].flatMap((name) => moduleFiles(folder, name));
}

/** Folders of tests, whose conftest.py pytest reads although no command runs there. */
export const conftestsBelow = (folder: string): string[] => ["tests", "test"].map((name) => below(folder, name));
