import { posix } from "node:path";
import { withShortLines } from "../../domain/short-lines.ts";
import { fileLike } from "./files-like.ts";
import { decideLoaded, isProduct } from "./product.ts";
import { importedFiles } from "./python.ts";
import { TOP } from "./shell.ts";
import { below, type Call, pathIn, type Walk } from "./walk.ts";

/** Names of files that check something; all others may be the work itself. */
export const CHECKS =
  /(?:^|\/)(?:scripts?|tools?|tooling|ci|\.[^/]+|hack|checks?|tests?|__tests__|specs?|e2e|qa|lint|gates?)\/|(?:check|test|lint|verif|valid|assert|spec|gate|audit|smoke|accept|judge|grade|(?:^|[-_.])ci)[^/]*$/i;
/** Data with which a check compares, and modules beside a check at the top, where the work may lie, too. */
const EXPECTED =
  /^(?:expect(?:ed|ations?)?|golden|snapshots?|baseline|fixtures?|approved|reference)(?:[-_.][\w.-]*)?\.\w+$/i;
export const HELPERS =
  /^(?:rules?|helpers?|fixtures?|harness|runner|matchers?|mocks?|stubs?|setup|support|compare|cases)(?:[-_.][^/]*)?$/i;

const COMMAND = /^(?:npm|pnpm|yarn|bun|npx|make|sh|bash|node|python3?|cargo|go|pytest)\s|^\.\/\S+/;
const LONGEST = 100_000;
const MOST_FOLDERS = 20;
/** A string of code; one that is imported is no command. */
const STRING = /(\b(?:from|import|require)\s*\(?\s*)?(["'`])((?:(?!\2)[^\\\n]|\\.)+)\2/g;

/** `env.PATH = "./tools:" + …`, `os.environ["PATH"] = …`, `{ PATH: … }`: what stands behind it. */
const SETS_PATH = /\bPATH["'\]}]*\s*(?:\+?=(?!=)|:)((?:[^\n;]*[([+,]\s*\n){0,9}[^\n;]*)/g;
const OF_SYSTEM = /^\/(?:usr|bin|sbin|opt|home|root|Users|nix|snap|etc|var)\b/;

const SYS_PATH = /\bsys\.path\.(?:insert|append)\([^\n]*?["']([\w./-]+)["']/g;

interface Code {
  readonly text: string;
  /** The folder of the code. */
  readonly at: string;
  readonly path?: string;
}

/** Code of other languages: the commands in its strings, and the files beside it that it names. */
export async function followCode(call: Call, walk: Walk, { text, at, path }: Code): Promise<void> {
  const read = withShortLines(text.slice(0, LONGEST));
  walk.mention(read);
  if (path !== undefined) walk.cannotFollow(`${path}: code; only literal commands and paths in it are followed`);
  if (path !== undefined) await decideLoaded(walk, { text, path, folder: call.folder });
  const home = at === "." ? "" : at;
  const code = { text, at: home, ...(path !== undefined && { path }) };
  for (const word of searchedIn(read)) for (const from of [home, call.folder]) walk.search(pathIn(from, word));
  for (const [, before, , word = ""] of read.matchAll(STRING)) {
    if (before === undefined && (COMMAND.test(word) || (await isSearched(walk, word))))
      await walk.follow(word, { folder: call.folder, depth: call.depth + 1 });
    if (/^[\w./-]+$/.test(word)) for (const from of [home, call.folder]) walk.read(pathIn(from, word));
    if (/\s/.test(word) || (!/^\.{1,2}\/|\/.*\.\w+$/.test(word) && !EXPECTED.test(word))) continue;
    // `__DIR__ . '/rules.php'`
    const beside = pathIn(home, word.startsWith("/") ? `.${word}` : word);
    const named = [word.startsWith(".") || word.startsWith("/") ? beside : undefined, pathIn(call.folder, word)];
    for (const one of new Set(named)) if (one !== undefined) await followNamed(call, walk, { code, named: one });
  }
  for (const [, word = ""] of read.matchAll(/\brequire_relative[ (]+["']([\w./-]+)["']/g))
    await followNamed(call, walk, { code, named: `${pathIn(home, word) ?? word}.rb` });
  if (path?.endsWith(".py") !== true && !call.program.startsWith("python")) return;
  for (const named of importedFiles(read, { at: home, folder: call.folder }))
    await followNamed(call, walk, { code, named });
  const folders = new Set(Array.from(read.matchAll(SYS_PATH), ([, word = ""]) => word));
  for (const word of [...folders].slice(0, MOST_FOLDERS)) await decideModules(call, walk, { code, word });
}

/** `sys.path.insert(0, "rules")`: the checking modules of this folder that the code imports. All others may be the work. */
async function decideModules(call: Call, walk: Walk, { code, word }: { code: Code; word: string }): Promise<void> {
  for (const from of new Set([pathIn(code.at, word), pathIn(call.folder, word)])) {
    if (from === undefined || from === "" || isProduct(call.folder, `${from}/x`)) continue;
    for (const path of importedFiles(withShortLines(code.text.slice(0, LONGEST)), { at: from, folder: from }))
      if (isCheckingModule(path) && (await walk.text(path)) !== undefined)
        walk.decide({ path, why: `${code.path ?? call.program} imports it`, isDefinition: true });
  }
}

export const isCheckingModule = (path: string): boolean =>
  CHECKS.test(path) || HELPERS.test(posix.basename(path)) || /(?:^|\/)rules?\//.test(path);

/** The folders that code puts on its PATH, as far as it names them literally. */
const searchedIn = (text: string): string[] =>
  [...text.matchAll(SETS_PATH)]
    .flatMap(([, value = ""]) => [...value.matchAll(STRING)].map(([, , , word]) => word!))
    .flatMap((word) => word.split(/[:;]|[$#]?\{[^}]*\}/))
    .filter((word) => !OF_SYSTEM.test(word))
    .map((word) => word.replace(/^\//, ""))
    .filter((word) => /^\.{0,2}[\w/.-]+$/.test(word) && word !== "PATH" && !/node_modules|venv/.test(word));

/** Whether the first word of a string is a program in a folder of the PATH. */
async function isSearched(walk: Walk, word: string): Promise<boolean> {
  const name = /^[\w.-]+(?=\s|$)/.exec(word)?.[0];
  for (const at of name === undefined ? [] : walk.searched) {
    const path = below(at, name!);
    if (!isProduct("", path) && (await walk.look.has(path))) return true;
  }
  return false;
}

interface NamedByCode {
  readonly code: Code;
  readonly named: string;
}

/** A file that code names: it decides if it lies beside the code, or if its name says that it checks. */
async function followNamed(call: Call, walk: Walk, { code: { path, at }, named }: NamedByCode): Promise<void> {
  const isBeside =
    path !== undefined &&
    at !== "" &&
    named.startsWith(`${at}/`) &&
    !isProduct(call.folder, at === call.folder ? named : `${at}/x`);
  const isHelper = EXPECTED.test(posix.basename(named)) || (path !== undefined && at === "" && HELPERS.test(named));
  const isCheck = isBeside || CHECKS.test(named);
  if (named === path || call.depth > 4 || (!isCheck && !isHelper)) return;
  const found = await fileLike(walk, named);
  if (found === undefined) return;
  const why = `${path ?? call.program} names it`;
  walk.decide({ path: found.path, why, isDefinition: isCheck, ...(!isCheck && { isTest: true }) });
  if (isCheck && /\.(?:ba)?sh$/.test(found.path))
    await walk.followWords(["sh", `${TOP}/${found.path}`], { folder: call.folder, depth: call.depth + 1 });
  if (!/\.(?:[cm]?[jt]s|py|rb|php|p[lm])$/.test(found.path)) return;
  const next = { text: found.text, at: posix.dirname(found.path), path: found.path };
  await followCode({ ...call, depth: call.depth + 1 }, walk, next);
}
