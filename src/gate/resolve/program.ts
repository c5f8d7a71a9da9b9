import { posix } from "node:path";
import { matchesAny } from "../../domain/glob.ts";
import { DEFAULT_TEST_FILES } from "../../domain/test-files.ts";
import { fileLike, filesLike } from "./files-like.ts";
import { CHECKS, followCode, HELPERS } from "./code.ts";
import { isProduct } from "./product.ts";
import { memberProgram } from "./member-files.ts";
import { LIST, SEARCH } from "./shell-input.ts";
import { isShellLibrary } from "./shell-library.ts";
import { TOP, UNKNOWN } from "./shell.ts";
import { below, type Call, pathIn, type Resolver, shown, type Walk } from "./walk.ts";

/** Programs that start the rest of their words, by how many plain words come before it. */
const WRAPPERS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    "env cross-env cross-env-shell command nohup time nice stdbuf xargs sudo c8 nyc xvfb-run dotenv setsid unbuffer"
      .split(" ")
      .map((name) => [name, 0]),
  ),
  timeout: 1,
  gtimeout: 1,
};

/** The same with a word of their own: `uv run pytest`. */
const RUNNERS =
  /^(?:(?:uv|poetry|pdm|pipenv|rye|hatch|conda|dotenvx|op|volta|coverage) run|(?:bundle|mise|asdf|direnv) exec)$/;

const TAKES_VALUE =
  /^-[unPIkspLdoef]$|^--(?:with|extra|group|python|project|directory|package|kill-after|signal|env-file|from)$/;

/** `env A=b timeout 10 x`: x is what runs. */
export const wrapper: Resolver = (call, walk) => {
  const { program, args } = call;
  const isRunner = RUNNERS.test(`${program} ${args[0] ?? ""}`);
  const before = isRunner ? 1 : Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : undefined;
  return before !== undefined && followWrapped(call, walk, { isRunner, before });
};

interface Wrapping {
  readonly isRunner: boolean;
  /** How many plain words come before what is started. */
  readonly before: number;
}

async function followWrapped(
  { args, folder, isRead, depth }: Call,
  walk: Walk,
  { isRunner, before }: Wrapping,
): Promise<true> {
  let left = before;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at]!;
    if (isRunner && word === "-m") return await follow(["python3", ...args.slice(at)]);
    if (TAKES_VALUE.test(word)) at += 1;
    else if (!word.startsWith("-") && !/^\w+=/.test(word) && left-- === 0) return await follow(args.slice(at));
  }
  return true;
  async function follow(words: readonly string[]): Promise<true> {
    if (words.length === 1 && /\s/.test(words[0]!)) await walk.follow(words[0]!, { folder, depth: depth + 1, isRead });
    else await walk.followWords(words, { folder, depth: depth + 1, isRead });
    return true;
  }
}

const SHELLS = /^(?:ba|da|z|k|a)?sh$/;
const INTERPRETERS =
  /^(?:node|nodejs|tsx|ts-node|zx|jiti|esno|vite-node|babel-node|bun|deno|python[\d.]*|ruby|perl|php|Rscript|lua|pwsh)$/;

/** Shells, interpreters and files of the repository that are started. Not followed: what code computes. */
export const program: Resolver = async (call, walk) => {
  const { args, folder, depth, isRead } = call;
  await decideNamedConfiguration(call, walk);
  if (call.program === "eval" || call.program === "trap")
    await walk.follow(call.program === "trap" ? (args[0] ?? "") : args.join(" "), { folder, depth: depth + 1, isRead });
  else if (call.program === "." || call.program === "source")
    await followFile(call, walk, { word: args[0], isShell: true });
  else if (SHELLS.test(call.program)) await followShell(call, walk);
  else if (INTERPRETERS.test(call.program)) await followInterpreter(call, walk);
  else if (call.program === "for") await followLoop(call, walk);
  else if (call.program === SEARCH) {
    for (const word of args) walk.search(pathIn(folder, word));
  } else if (call.program === "run-parts") {
    for (const word of args.filter((one) => !one.startsWith("-"))) await followFile(call, walk, { word: `${word}/*` });
  } else if (call.program === LIST) await decideRead(call, walk, args[0]);
  else if (/^(?:[gmn]?awk|sed|[ef]?grep|rg)$/.test(call.program)) await followFileFlag(call, walk);
  else if (/^(?:diff|cmp|comm)$/.test(call.program)) decideExpected(call, walk);
  else if (call.path.includes("/")) await followFile(call, walk, { word: call.path });
  else return await followFound(call, walk);
  return true;
};

/** A program of a folder that a script puts on its PATH, or a check of a package of the workspace. */
async function followFound(call: Call, walk: Walk): Promise<boolean> {
  for (const at of walk.searched) {
    const path = below(at, call.program);
    if (!(await walk.look.has(path))) continue;
    await followFile(call, walk, { word: `${TOP}/${path}` });
    return true;
  }
  const own = CHECKS.test(call.program) ? await memberProgram(walk, call.folder, call.program) : undefined;
  if (own !== undefined) await followFile(call, walk, { word: `${TOP}/${own}` });
  return own !== undefined;
}

/** `for f in checks/*.sh`: each file that the loop may start. It names no modules: `packages/api` is not its `index.js`. */
async function followLoop(call: Call, walk: Walk): Promise<void> {
  for (const word of call.args.slice(2)) if (/[/.]/.test(word)) await followFile(call, walk, { word });
}

/** A file that a command reads as a list or as patterns. */
async function decideRead({ folder, program, args }: Call, walk: Walk, word = ""): Promise<void> {
  const path = pathIn(folder, word);
  if (path === undefined || path === "" || isProduct(folder, path) || (await walk.text(path)) === undefined) return;
  walk.decide({ path, why: `\`${shown([program, ...args])}\` reads it`, isDefinition: false });
}

/** `awk -f check.awk`, `grep -f patterns`. */
async function followFileFlag(call: Call, walk: Walk): Promise<void> {
  for (const [at, flag] of call.args.entries()) {
    const word = /^-[a-zA-Z]*f$|^--file$/.test(flag) ? call.args[at + 1] : /^(?:--file=|-f)(.+)$/.exec(flag)?.[1];
    if (word === undefined) continue;
    if (/awk|sed/.test(call.program)) await followFile(call, walk, { word });
    else await decideRead(call, walk, word);
  }
}

async function followShell(call: Call, walk: Walk): Promise<void> {
  const { args, folder, depth, isRead } = call;
  // `bash -n` only reads a script.
  if (args.some((word) => /^-[a-z]*n[a-z]*$/.test(word))) return;
  const inline = args.findIndex((word) => /^-[a-z]*c$/.test(word));
  const file = args.find((word, at) => !/^[-+]/.test(word) && !/^[-+][a-z]*o$/.test(args[at - 1] ?? ""));
  if (inline >= 0) await walk.follow(args[inline + 1] ?? "", { folder, depth: depth + 1, isRead });
  else if (file !== undefined) await followFile(call, walk, { word: file, isShell: true });
}

const VALUE_FLAGS =
  /^(?:-r|-W|-X|-I|-C|--require|--import|--loader|--experimental-loader|--env-file|--conditions|--tsconfig|--project|-P)$/;

async function followInterpreter(call: Call, walk: Walk): Promise<void> {
  const { args } = call;
  const words = /^(?:deno|bun)$/.test(call.program) && args[0] === "run" ? args.slice(1) : args;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!;
    if (/^(?:-e|-p|-c|--eval|--print|-pe)$/.test(word))
      return await followCode(call, walk, { text: words[at + 1] ?? "", at: call.folder });
    if (word === "-m" && call.program.startsWith("python")) {
      if (words[at + 1] === "doctest") decideExamples(call, walk, words.slice(at + 2));
      return await followModule(call, walk, words[at + 1] ?? "");
    }
    // A runner: its words are tests.
    if (/^(?:--test|test|task|fmt|lint|check)$/.test(word)) return;
    if (VALUE_FLAGS.test(word)) at += 1;
    else if (!word.startsWith("-")) return await followFile(call, walk, { word });
  }
}

/** `python3 -m tools.check`, if the repository has it; all other modules are installed tools. */
async function followModule(call: Call, walk: Walk, name: string): Promise<void> {
  for (const ending of [".py", "/__main__.py"]) {
    const word = name.replaceAll(".", "/") + ending;
    const path = pathIn(call.folder, word);
    if (path !== undefined && (await walk.text(path)) !== undefined) return await followFile(call, walk, { word });
  }
}

/** `python3 -m doctest README.md`: a text whose examples are tests. Those of modules are looked for in each source. */
function decideExamples({ folder }: Call, walk: Walk, words: readonly string[]): void {
  for (const word of words.filter((one) => !one.startsWith("-") && !one.endsWith(".py"))) {
    const path = pathIn(folder, word);
    if (path) walk.decide({ path, why: "its examples are tests", isDefinition: false, isTest: true });
  }
}

interface NamedFile {
  readonly word: string | undefined;
  readonly isShell?: boolean;
}

/**
 * A file that a command starts. It is the check itself, unless its output is compared or its name says that it is the
 * product: then it is the work.
 */
async function followFile(call: Call, walk: Walk, { word, isShell = false }: NamedFile): Promise<void> {
  const path = word === undefined ? undefined : pathIn(call.folder, word);
  if (path === undefined || path === "") {
    if (word !== undefined && !/^[~/]/.test(word))
      walk.cannotFollow(`\`${call.program}\` with a path that only the shell knows`);
    if (word !== undefined && isShell) await decideEither(call, walk, word);
    return;
  }
  if (/[*?[]/.test(path))
    return await followFiles(call, walk, { pattern: path.replaceAll(/\[[^\]]*\]/g, "?"), isShell });
  if (/(?:^|\/)(?:node_modules|\.?venv|vendor)\//.test(path)) return;
  const isNamed = call.program === "for" && !CHECKS.test(path);
  const found = (!isNamed && (await fileLike(walk, path))) || { path, text: await walk.text(path) };
  const isScript = isShell || /\.(?:sh|bash)$/.test(path) || /^#!.*\b(?:ba|da|z|k)?sh\b/.test(found.text ?? "");
  const isWork = isWorkOfTest(call, found);
  const isCheck = CHECKS.test(path) || (isScript && !call.isRead && !isWork);
  if (LAUNCHERS.test(path) && found.text !== undefined)
    return walk.decide({ path: found.path, why: `${posix.basename(path)} starts the tests`, isDefinition: false });
  if (!isCheck && (found.text === undefined || call.isRead || isWork || isProduct(call.folder, path))) return;
  const why = `\`${shown([call.program, ...call.args])}\` starts it`;
  if (found.text === undefined) {
    if (await walk.look.has(path)) walk.cannotFollow(`${path} is not a text`);
    else if (call.depth === 0) walk.markNew();
    walk.decide({ path, why: `${why}; it was not there`, isDefinition: false, isTest: true });
    return;
  }
  walk.decide({ path: found.path, why, isDefinition: true });
  if (isScript)
    await walk.follow(withOwnFolder(found.text, found.path), {
      folder: call.folder,
      depth: call.depth + 1,
      from: found.path,
    });
  else await followCode(call, walk, { text: found.text, at: posix.dirname(found.path), path: found.path });
}

/** Programs that a framework made, with which tests are started: they have the names of products. */
const LAUNCHERS = /(?:^|\/)(?:manage\.py|artisan|bin\/(?:rails|rake|rspec|bundle|phpunit|console|spring))$/;

/** A library that a test sources is the work that it tests, and so is a program of the product that it starts. */
function isWorkOfTest(
  { from, program, folder }: Call,
  { path, text = "" }: { path: string; text: string | undefined },
) {
  if (from === undefined || !matchesAny(DEFAULT_TEST_FILES, from) || HELPERS.test(posix.basename(path))) return false;
  return isProduct(folder, path) || (/^(?:\.|source)$/.test(program) && isShellLibrary(text));
}

/** `checks/$1.sh`: one of these files, if the folder is known. Which one, only the shell knows, so none is the definition. */
async function decideEither({ folder, program, args }: Call, walk: Walk, word: string): Promise<void> {
  const isKnown = /^(?:\.\/)?[\w.-]*\w[\w.-]*\//.test(word);
  const pattern = isKnown ? pathIn(folder, word.replaceAll(COMPUTED, "*")) : undefined;
  const why = `\`${shown([program, ...args])}\` may start it`;
  for (const path of pattern === undefined ? [] : await filesLike(walk, pattern))
    walk.decide({ path, why, isDefinition: false });
}

const COMPUTED = new RegExp(`${UNKNOWN}(?:\\w+${UNKNOWN})?`, "g");

interface Pattern {
  readonly pattern: string;
  readonly isShell: boolean;
}

/**
 * All files of a pattern. If the command runs each of them, a new one takes part. One that is sourced can end the others;
 * all others are like new tests, as are files of the product.
 */
async function followFiles(call: Call, walk: Walk, { pattern, isShell }: Pattern): Promise<void> {
  const isCheck = CHECKS.test(pattern) || ((isShell || /\.(?:sh|bash)$/.test(pattern)) && !call.isRead);
  const isWork = isProduct(call.folder, pattern);
  const isSourced = call.program === "." || call.program === "source";
  if (call.program !== "for" && (isCheck || !(call.isRead || isWork))) {
    const why = `\`${shown([call.program, ...call.args])}\` runs every such file`;
    walk.decide({ path: pattern, why, isDefinition: false, ...((isWork || !isSourced) && { isTest: true }) });
  }
  for (const file of await filesLike(walk, pattern)) await followFile(call, walk, { word: `${TOP}/${file}`, isShell });
}

/** The usual ways in which a script names its own folder. */
const OWN_FOLDER =
  /\$\(\s*cd\s+(?:--\s+)?"?(?:\$\(\s*dirname\s+(?:--\s+)?"?\$(?:0|\{0\}|\{BASH_SOURCE(?:\[0\])?\}|BASH_SOURCE)"?\s*\)|\$\{(?:0|BASH_SOURCE(?:\[0\])?)%\/\*\})((?:\/\.\.)*)"?\s*(?:>\s*\/dev\/null\s*(?:2>&1)?\s*)?&&\s*pwd(?:\s+-P)?\s*\)|\$\(\s*dirname\s+(?:--\s+)?"?\$(?:0|\{0\}|\{BASH_SOURCE(?:\[0\])?\}|BASH_SOURCE)"?\s*\)|\$\{(?:0|BASH_SOURCE(?:\[0\])?)%\/\*\}/g;

const withOwnFolder = (text: string, path: string): string => {
  const folder = posix.dirname(path);
  return text.replaceAll(OWN_FOLDER, (_, up?: string) => `${TOP}${folder === "." ? "" : `/${folder}`}${up ?? ""}`);
};

/** Data with which a gate compares. */
function decideExpected({ args, folder }: Call, walk: Walk): void {
  for (const word of args) {
    const path = /expect|golden|snapshot|baseline|fixture|reference|approved|want/i.test(word)
      ? pathIn(folder, word)
      : undefined;
    if (path !== undefined && path !== "")
      walk.decide({ path, why: "a gate compares with it", isDefinition: false, isTest: true });
  }
}

const CONFIGURATION_FLAG =
  /^(?:-c|-r|-p|--(?:[\w-]*(?:conf|config|configuration|config-?(?:file|path)|rcfile|settings|opts|baseline|suppressions?(?:-list|-file)?|ignore-?(?:path|file)|exclude-?(?:from|file)|ruleset|rules|rulesdir|policy|thresholds?-?file)|require|import|setup|preload|globalSetup|setupFiles?|tsconfig|project|env-file|env-path))$/;

/** `--config tools/x.json`: files that the command names as configuration, and those of a folder. */
async function decideNamedConfiguration({ args, folder, program }: Call, walk: Walk): Promise<void> {
  if (SHELLS.test(program)) return;
  for (const [at, word] of args.entries()) {
    const [flag = "", joined] = word.split(/=(.*)/s, 2);
    if (!CONFIGURATION_FLAG.test(flag)) continue;
    const path = pathIn(folder, joined ?? args[at + 1] ?? "");
    if (path === undefined || path === "" || isProduct(folder, path)) continue;
    const found = await fileLike(walk, path);
    const files = found === undefined && flag.startsWith("--") ? await filesLike(walk, `${path}/**`) : [];
    for (const file of found === undefined ? files : [found.path])
      walk.decide({ path: file, why: `${program} ${flag}`, isDefinition: false });
  }
}
