import { matchesAny } from "../../domain/glob.ts";
import { isMapping } from "../../domain/mapping.ts";
import { DEFAULT_TEST_FILES } from "../../domain/test-files.ts";
import { valueAt } from "./parts.ts";
import { CHECKS } from "./code.ts";
import { filesLike } from "./files-like.ts";
import { isProduct } from "./product.ts";
import { below, type Call, pathIn, type Resolver, shown, type Walk } from "./walk.ts";

/** A program whose file says by name what to run. */
interface ScriptFile {
  readonly program: RegExp;
  /** Words before the name of what to run. */
  readonly words: readonly string[];
  readonly files: readonly string[];
  /** Where the file names it: `tasks` of deno.json. */
  readonly under: string;
}

/** In the order in which task looks for them. */
const TASK_FILES = [".yml", ".yaml", ".dist.yml", ".dist.yaml"].flatMap((ending) => [
  `Taskfile${ending}`,
  `taskfile${ending}`,
]);

const SCRIPT_FILES: readonly ScriptFile[] = [
  { program: /^composer$/, words: ["run", "run-script"], files: ["composer.json"], under: "scripts" },
  { program: /^deno$/, words: ["task"], files: ["deno.json", "deno.jsonc"], under: "tasks" },
  { program: /^(?:go-)?task$/, words: [], files: TASK_FILES, under: "tasks" },
  { program: /^mise$/, words: ["run", "r"], files: ["mise.toml", ".mise.toml"], under: "tasks" },
  { program: /^poe$/, words: [], files: ["pyproject.toml"], under: "tool.poe.tasks" },
  { program: /^task$/, words: [], files: ["pyproject.toml"], under: "tool.taskipy.tasks" },
  { program: /^pdm$/, words: ["run"], files: ["pyproject.toml"], under: "tool.pdm.scripts" },
  { program: /^rye$/, words: ["run"], files: ["pyproject.toml"], under: "tool.rye.scripts" },
  { program: /^hatch$/, words: ["run", "test"], files: ["pyproject.toml"], under: "tool.hatch.envs.default.scripts" },
];

/** Programs that run tasks of a file by their names. Not followed: what a task computes. */
export const scriptFile: Resolver = (call, walk) =>
  SCRIPT_FILES.some(({ program }) => program.test(call.program)) && followScriptFile(call, walk);

async function followScriptFile(call: Call, walk: Walk): Promise<boolean> {
  let isKnown = false;
  for (const { program, words, files, under } of SCRIPT_FILES) {
    if (!program.test(call.program)) continue;
    const plain = call.args.filter((word) => !word.startsWith("-"));
    if (words.length > 0 && !words.includes(plain[0] ?? "") && call.program !== "composer") continue;
    const names = words.includes(plain[0] ?? "") ? plain.slice(1, 2) : plain;
    if (call.program === "mise") isKnown = (await followMiseFiles(call, walk, names)) || isKnown;
    for (const [at, file] of files.entries()) {
      let isHere = false;
      for (const name of names) isHere = (await followTask(call, walk, { file, under, name })) || isHere;
      isKnown ||= isHere;
      for (const first of isHere ? files.slice(0, at) : [])
        walk.decide({ path: below(call.folder, first), why: `it is read in place of ${file}`, isDefinition: true });
    }
  }
  return isKnown;
}

const MISE_FOLDERS = ["mise-tasks", ".mise-tasks", "mise/tasks", ".mise/tasks", ".config/mise/tasks"];

/** Tasks of mise that are files of their own: `lint:all` is `lint/all`. */
async function followMiseFiles({ folder, depth }: Call, walk: Walk, names: readonly string[]): Promise<boolean> {
  let isHere = false;
  for (const name of names) {
    for (const at of MISE_FOLDERS) {
      const file = `${at}/${name.replaceAll(":", "/")}`;
      if (!(await walk.look.has(below(folder, file)))) continue;
      isHere = true;
      await walk.followWords([`./${file}`], { folder, depth: depth + 1 });
    }
  }
  return isHere;
}

interface NamedTask {
  readonly file: string;
  readonly under: string;
  readonly name: string;
}

async function followTask(call: Call, walk: Walk, { file, under, name }: NamedTask): Promise<boolean> {
  const path = below(call.folder, file);
  const key = `${under}.${name}`;
  const task = valueAt(await walk.parts(path), key);
  if (task === undefined) return false;
  walk.decide({ path, keys: [key, "vars", "env", "includes", "dotenv"], why: `task ${name}`, isDefinition: true });
  await decideIncluded(call, walk, path);
  for (const text of textsIn(task)) {
    const other = text.replace(/^@/, "");
    if (other !== name && valueAt(await walk.parts(path), `${under}.${other}`) !== undefined && call.depth < 10) {
      await followTask({ ...call, depth: call.depth + 1 }, walk, { file, under, name: other });
    } else await walk.follow(text.replace(/^@php\b/, "php"), { folder: call.folder, depth: call.depth + 1 });
  }
  return true;
}

/** Files whose tasks a task file includes under a name. Which of their tasks run is not followed. */
async function decideIncluded({ folder }: Call, walk: Walk, path: string): Promise<void> {
  const parts = await walk.parts(path);
  for (const word of textsIn(valueAt(parts, "dotenv"))) {
    const file = pathIn(folder, word);
    if (file) walk.decide({ path: file, why: `${path} reads variables from it`, isDefinition: false });
  }
  const includes = valueAt(parts, "includes");
  for (const value of isMapping(includes) ? Object.values(includes) : []) {
    const named = pathIn(folder, String(isMapping(value) ? value["taskfile"] : value));
    for (const file of named === undefined ? [] : [named, ...TASK_FILES.map((name) => below(named, name))]) {
      const text = await walk.text(file);
      if (text === undefined) continue;
      walk.decide({ path: file, why: `${path} includes it`, isDefinition: false });
      walk.mention(text);
    }
  }
}

const textsIn = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isMapping(value) ? Object.values(value).flatMap(textsIn) : [];
};

/** Programs whose file is their definition as a whole. */
const WHOLE: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^rake$/, ["Rakefile"]],
  [/^(?:invoke|inv)$/, ["tasks.py", "tasks/__init__.py"]],
  [/^doit$/, ["dodo.py"]],
  [/^nox$/, ["noxfile.py"]],
  [/^mage$/, ["magefile.go"]],
  [/^earthly$/, ["Earthfile"]],
];

const OPAQUE: readonly (readonly [RegExp, string])[] = [
  [/^(?:docker|podman|docker-compose)$/, "what else runs inside a container"],
  [/^(?:cmake|ctest|meson|ninja|bazel|buck2|sbt|swift|xcodebuild|mix)$/, "its build files: they also name the sources"],
  [/^(?:gradlew?|mvnw?)$/, "plugins and tasks of the build"],
];

/** Runners that are known by one file each, and those whose files say too much to be told apart. */
export const wholeFile: Resolver = (call, walk) => {
  const files = WHOLE.find(([program]) => program.test(call.program))?.[1];
  const opaque = OPAQUE.find(([program]) => program.test(call.program))?.[1];
  if (opaque !== undefined) walk.cannotFollow(`\`${call.program}\`: ${opaque}`);
  return files !== undefined && followWhole(call, walk, files);
};

async function followWhole({ program, folder }: Call, walk: Walk, files: readonly string[]): Promise<true> {
  for (const file of files) {
    const path = below(folder, file);
    walk.decide({ path, why: `${program} reads it`, isDefinition: true });
    walk.mention((await walk.text(path)) ?? "");
    walk.cannotFollow(`${path}: only as a whole`);
  }
  return true;
}

/** tox: its commands. Not followed: environments that it computes. */
export const tox: Resolver = (call, walk) => {
  const isTox =
    call.program === "tox" || (call.program.startsWith("python") && call.args[0] === "-m" && call.args[1] === "tox");
  return isTox && followTox(call, walk);
};

async function followTox(call: Call, walk: Walk): Promise<true> {
  const path = below(call.folder, "tox.ini");
  for (const [section, options] of Object.entries((await walk.parts(path)) ?? {})) {
    if (!section.startsWith("testenv") || !isMapping(options)) continue;
    const keys = Object.keys(options).filter((name) => /^commands|^allowlist|^change_dir|^setenv|^pass/.test(name));
    walk.decide({ path, keys: keys.map((name) => `${section}.${name}`), why: "commands of tox", isDefinition: true });
    for (const [name, text] of Object.entries(options)) {
      const commands = name.startsWith("commands") && typeof text === "string" ? text : "";
      await walk.follow(commands.replaceAll(/\{posargs:?([^}]*)\}/g, "$1").replaceAll(/^-/gm, ""), {
        folder: call.folder,
        depth: call.depth + 1,
      });
    }
  }
  return true;
}

/** Programs of the repository that check, by the names of their folders: `go run ./tools/check`, `cargo xtask`. */
async function decideOwnProgram({ program, args, folder }: Call, walk: Walk): Promise<void> {
  const word =
    program === "cargo"
      ? /^x\w*$/.exec(args[0] ?? "")?.[0]
      : args[0] === "run"
        ? args.find((one) => one.startsWith("./"))
        : undefined;
  const at = word === undefined ? undefined : pathIn(folder, word);
  if (at === undefined || at === "" || (program === "go" && !CHECKS.test(at.slice(at.lastIndexOf("/") + 1)))) return;
  for (const path of await filesLike(walk, `${at}/**/*.${program === "go" ? "go" : "rs"}`))
    walk.decide({ path, why: `\`${shown([program, ...args])}\` starts it`, isDefinition: true });
}

/** Programs whose words are the files that they play. */
const PLAYERS = /^(?:k6|newman|artillery|hurl|robot|bats|locust|cram|pg_prove|prove|venom|gauge)$/;

/** `newman run api.json`: files that say what is asked and expected are tests. */
export const player: Resolver = (call, walk) => PLAYERS.test(call.program) && followPlayer(call, walk);

async function followPlayer({ program, args, folder }: Call, walk: Walk): Promise<true> {
  for (const word of args.filter((one) => !one.startsWith("-"))) {
    const path = pathIn(folder, word);
    if (path === undefined || path === "" || isProduct(folder, `${path}/x`)) continue;
    const isFile = (await walk.text(path)) !== undefined;
    // Those that are tests by their names are known as such.
    const inside = isFile ? [] : await filesLike(walk, /[*?]/.test(path) ? path : `${path}/**`);
    const files = isFile ? [path] : inside.filter((one) => !matchesAny(DEFAULT_TEST_FILES, one));
    for (const file of files)
      walk.decide({ path: file, why: `${program} plays it`, isDefinition: false, isTest: true });
  }
  return true;
}

/** cargo and go: the tools read their own files; see the table of configuration. Not followed: build scripts, aliases, `go generate`. */
export const compiled: Resolver = (call, walk) => /^(?:cargo|go)$/.test(call.program) && followCompiled(call, walk);

async function followCompiled(call: Call, walk: Walk): Promise<true> {
  await decideOwnProgram(call, walk);
  if (call.program === "cargo") walk.cannotFollow("`cargo`: build scripts (build.rs) and procedural macros");
  else walk.cannotFollow("`go`: generated code and vendored packages");
  return true;
}
