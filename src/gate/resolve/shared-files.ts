import { isMapping, type Mapping } from "../../domain/mapping.ts";
import { lockKeys } from "./lock-files.ts";
import { isSame, valueAt } from "./parts.ts";

/** What is known of the commands of a gate. */
export interface Tools {
  /** All commands that were followed. */
  readonly text: string;
  readonly programs: ReadonlySet<string>;
}

/** The two states of a file. A state that does not exist is empty. */
export interface States {
  readonly before: Mapping;
  readonly after: Mapping;
}

type Keys = (states: States, tools: Tools) => readonly string[];

/**
 * Files that hold much besides configuration: only these parts of them decide. Versions of dependencies do not: to
 * upgrade one is work.
 */
export function sharedKeys(path: string): Keys | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  // In a folder that was there it takes packages away from the module around it, whose tests they were.
  if (name === "go.mod" && name !== path)
    return ({ before }) => (Object.keys(before).length === 0 ? ["module"] : ["replace"]);
  return Object.hasOwn(SHARED, name) ? SHARED[name] : lockKeys(name);
}

const SHARED: Readonly<Record<string, Keys>> = {
  "package.json": ofPackage,
  "pyproject.toml": ofPyproject,
  "setup.cfg": ofIni,
  "tox.ini": ofIni,
  "Cargo.toml": ofCargo,
  "go.mod": () => ["replace"],
  "pnpm-workspace.yaml": (states) => keysOf(states).filter((key) => !PNPM_FREE.test(key)),
  "libs.versions.toml": ofCatalog,
  "deno.json": ofDeno,
  "deno.jsonc": ofDeno,
  "import_map.json": ofDeno,
  "composer.json": () => ["repositories"],
  "pubspec.yaml": ofPubspec,
};

/** Of a catalog of Gradle: entries that mean another module or plugin than before. To upgrade one is work. */
function ofCatalog(states: States): string[] {
  const moduleOf = (entry: unknown): unknown => {
    if (typeof entry === "string") return entry.split(":").slice(0, -1).join(":");
    if (!isMapping(entry)) return undefined;
    const { version: _, ...rest } = entry;
    return rest;
  };
  return ["libraries", "plugins"].flatMap((under) =>
    keysOf(states, under).filter((key) => {
      const before = valueAt(states.before, key);
      return before !== undefined && !isSame(moduleOf(before), moduleOf(valueAt(states.after, key)));
    }),
  );
}

const PNPM_FREE = /^(?:catalogs?|onlyBuiltDependencies|ignoredBuiltDependencies|allowBuilds|minimumReleaseAge\w*)$/;
const DENO_FREE = /^(?:imports|scopes|name|version|exports|lock|tasks|license)$/;

/** Packages of Dart that come from a folder or a repository now. */
function ofPubspec(states: States): string[] {
  return [...keysOf(states, "dependency_overrides"), ...localPackagesIn(states, ["dependencies", "dev_dependencies"])];
}

/** A module of others must not become one of the repository. */
function ofDeno(states: States): string[] {
  const own = keysOf(states).filter((key) => !DENO_FREE.test(key));
  const replaced = keysOf(states, "imports").filter((key) => {
    const [before, after] = [valueAt(states.before, key), valueAt(states.after, key)];
    return typeof before === "string" && /^(?:jsr|npm|https?):/.test(before) && isLocal(after);
  });
  return [...own, ...replaced];
}

const keysOf = ({ before, after }: States, under?: string): string[] => {
  const inner = (state: Mapping): Mapping => {
    const value = under === undefined ? state : valueAt(state, under);
    return isMapping(value) ? value : {};
  };
  const names = new Set([...Object.keys(inner(before)), ...Object.keys(inner(after))]);
  return [...names].map((name) => (under === undefined ? name : `${under}.${name}`));
};

const mentions = ({ text }: Tools, name: string): boolean =>
  new RegExp(String.raw`(?<![\w-])${name.replaceAll(/[^\w-]/g, ".")}(?!\w)`).test(text);

/** Settings of tools in package.json, by the words that mean the tool. */
/** Keys of package.json that are no settings, though a program may have the name of one. */
const PACKAGE_FIELDS =
  /^(?:name|version|description|keywords|homepage|bugs|license|author|contributors|funding|files|main|module|types|browser|bin|man|directories|repository|scripts|engines|os|cpu|private|workspaces|exports|imports|type|\w*[dD]ependencies(?:Meta)?|overrides|resolutions|packageManager|pnpm|volta)$/;

const PACKAGE_SETTINGS: Readonly<Record<string, string>> = {
  jest: "jest|react-scripts|craco|nx|turbo",
  vitest: "vitest",
  mocha: "mocha",
  ava: "ava",
  tap: "tap",
  nyc: "nyc",
  c8: "c8",
  eslintConfig: "eslint|react-scripts|next",
  eslintIgnore: "eslint",
  prettier: "prettier|eslint",
  babel: "jest|babel|mocha|ava|webpack",
  stylelint: "stylelint",
  xo: "xo",
  standard: "standard",
  knip: "knip",
  tsd: "tsd",
  wireit: "wireit",
  nx: "nx",
  "lint-staged": "lint-staged",
  "size-limit": "size-limit",
  config: "npm|pnpm|yarn|bun",
};

const DEPENDENCIES = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
/** Whether two states of a package.json need other packages. */
export const needsOthers = ({ before, after }: States): boolean =>
  DEPENDENCIES.some((under) => !isSame(valueAt(before, under), valueAt(after, under)));

const REPLACEMENTS = ["overrides", "resolutions", "pnpm.overrides", "pnpm.patchedDependencies", "patchedDependencies"];

/** A version that is not one of the registry's under its own name. */
const LOCAL = /^(?:file:|link:|portal:|patch:|npm:|git[+:]|https?:|github:|\.{0,2}\/|[\w.-]+\/[\w.-]+(?:#|$))/;

function ofPackage(states: States, tools: Tools): string[] {
  const settings = keysOf(states).filter((key) => {
    const words = Object.hasOwn(PACKAGE_SETTINGS, key) ? PACKAGE_SETTINGS[key]! : "";
    if (words === "") return !PACKAGE_FIELDS.test(key) && tools.programs.has(key);
    return words.split("|").some((word) => mentions(tools, word));
  });
  const replaced = DEPENDENCIES.flatMap((under) =>
    keysOf(states, under).filter((key) => {
      const [before, after] = [valueAt(states.before, key), valueAt(states.after, key)];
      const isNamed = tools.programs.has(key.slice(under.length + 1));
      return isLocal(after) && !isLocal(before) && (before !== undefined || isNamed);
    }),
  );
  const overridden = REPLACEMENTS.flatMap((under) => {
    const isPatch = /patched/i.test(under);
    return keysOf(states, under).filter((key) => isPatch || deepValues(valueAt(states.after, key)).some(isLocal));
  });
  // A package of the workspace with the name of a tool is found in place of the tool.
  const shadows = ["name", ...keysOf(states, "bin")].filter((key) => {
    const name = key === "name" ? valueAt(states.after, key) : key.slice("bin.".length);
    return typeof name === "string" && tools.programs.has(name) && name !== states.before["name"];
  });
  return [...settings, ...replaced, ...overridden, ...shadows];
}

const isLocal = (value: unknown): boolean => typeof value === "string" && LOCAL.test(value);

const deepValues = (value: unknown): unknown[] =>
  isMapping(value) ? Object.values(value).flatMap(deepValues) : [value];

/** Tables of pyproject.toml that say how a package is made, not how it is checked. */
const PACKAGING =
  /^tool\.(?:poetry|setuptools(?:_scm)?|uv|pdm|hatch|flit|maturin|scikit-build|cibuildwheel|towncrier|bumpversion|bumpver|commitizen|semantic_release|poetry-.*|rye)$/;
const PACKAGING_PARTS = [
  "tool.uv.sources",
  "tool.hatch.envs",
  "tool.hatch.run",
  "tool.pdm.scripts",
  "tool.rye.scripts",
  // Plugins that pytest loads from each package that is installed.
  "project.entry-points.pytest11",
  "tool.poetry.plugins.pytest11",
];

function ofPyproject(states: States, tools: Tools): string[] {
  const tables = keysOf(states, "tool").filter((key) => {
    if (PACKAGING.test(key)) return false;
    const name = key.slice("tool.".length);
    if (name === "pytest" || name === "coverage") return /pytest|py\.test|tox|nox|coverage|hatch|poe/.test(tools.text);
    return mentions(tools, name) || /tox|nox|pre-commit/.test(tools.text);
  });
  return [...tables, ...PACKAGING_PARTS, ...localPackages(states)];
}

/** Lists and tables of packages that Python needs. */
const PACKAGES =
  /^(?:project\.(?:dependencies|optional-dependencies)|dependency-groups|tool\.poetry\.(?:dependencies|dev-dependencies|group))$/;
const FROM_PLACE = /@ *(?:file:|git\+|https?:|\.)/;

/** Parts in which a package that was the registry's comes from a folder or an address now. */
const localPackages = (states: States): string[] =>
  ["project", "dependency-groups", "tool.poetry"]
    .flatMap((under) => (under === "dependency-groups" ? [under] : keysOf(states, under)))
    .filter((key) => PACKAGES.test(key))
    .filter((key) => {
      const [before, after] = [states.before, states.after].map((state) => placedPackages(valueAt(state, key)));
      return [...after!].some(([name, isPlaced]) => isPlaced && before!.get(name) === false);
    });

/** Packages by name: whether they come from a folder or an address. */
function placedPackages(value: unknown): Map<string, boolean> {
  if (Array.isArray(value)) {
    const items = value.filter((item) => typeof item === "string");
    return new Map(items.map((item) => [/^[\w.-]*/.exec(item)![0].toLowerCase(), FROM_PLACE.test(item)]));
  }
  if (!isMapping(value)) return new Map();
  return new Map(
    Object.entries(value).flatMap(([name, one]) => {
      const isPlaced = isMapping(one) && ["path", "git", "url"].some((key) => key in one);
      if (typeof one === "string" || isPlaced || (isMapping(one) && "version" in one))
        return [[name, isPlaced] as const];
      return Array.from(placedPackages(one));
    }),
  );
}

/** A dependency of the registry that comes from a folder or a repository now. */
const becomesLocal = (before: unknown, after: unknown): boolean =>
  before !== undefined && !isFromPlace(before) && isFromPlace(after);

const isFromPlace = (value: unknown): boolean => isMapping(value) && ("path" in value || "git" in value);

const INI_TOOLS =
  /^(?:tool:pytest|pytest|testenv.*|tox|coverage.*|mypy.*|flake8|pycodestyle|pydocstyle|isort|pylint.*)$/;

/** Options by section, without the ones that name dependencies. */
function ofIni(states: States): string[] {
  const options = keysOf(states)
    .filter((section) => INI_TOOLS.test(section))
    .flatMap((section) => keysOf(states, section))
    .filter((key) => !/\.(?:deps|extras|min_?version|requires|env_?list)$/.test(key));
  return [...options, "options.entry_points.pytest11"];
}

const CARGO = [
  "lib.test",
  "lib.doctest",
  "lib.harness",
  "lib.path",
  "package.build",
  "package.autotests",
  "package.autobenches",
  "profile",
  "workspace.members",
  "workspace.exclude",
  "workspace.default-members",
  "patch",
  "replace",
  "lints",
  "workspace.lints",
  "features.default",
];

/** Switches of tests. A new `[[test]]` for a new file is free. */
function ofCargo(states: States): string[] {
  const kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
  const targets = keysOf(states, "target").flatMap((target) => kinds.map((kind) => `${target}.${kind}`));
  const replaced = localPackagesIn(states, [...kinds, "workspace.dependencies", ...targets]);
  const switched = ["test", "bin", "example", "bench"].filter((kind) => {
    const [before, after] = [targetsOf(states.before[kind]), targetsOf(states.after[kind])];
    const switches = kind === "test" ? TEST_SWITCHES : SWITCHES;
    const of = (target: Mapping | undefined): Mapping | undefined => switchesOf(target, switches);
    const isKept = [...before].every(([name, target]) => isSame(of(target), of(after.get(name))));
    const added = [...after].filter(([name]) => !before.has(name));
    return !isKept || added.some(([, target]) => of(target) !== undefined);
  });
  return [...CARGO, ...switched, ...replaced];
}

/** Dependencies of the registry that come from a folder or a repository now. */
const localPackagesIn = (states: States, places: readonly string[]): string[] =>
  places.flatMap((under) =>
    keysOf(states, under).filter((key) => becomesLocal(valueAt(states.before, key), valueAt(states.after, key))),
  );

const targetsOf = (list: unknown): Map<string, Mapping> =>
  new Map((Array.isArray(list) ? list : []).filter(isMapping).map((target) => [String(target["name"]), target]));

const SWITCHES: ReadonlySet<string> = new Set(["test", "harness", "doctest", "required-features"]);
const TEST_SWITCHES: ReadonlySet<string> = new Set([...SWITCHES, "path"]);

/** Undefined if a target is tested as usual. */
function switchesOf(target: Mapping | undefined, switches: ReadonlySet<string>): Mapping | undefined {
  const entries = Object.entries(target ?? {}).filter(([key]) => switches.has(key));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
