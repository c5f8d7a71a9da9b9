import { isMapping, type Mapping } from "../../domain/mapping.ts";
import { placeOf, sourceIn } from "./lock-text.ts";
import { valueAt } from "./plain-parts.ts";

// T-10: set-up installs what a lock file says, without asking the manifest again. A package that the base has from its
// registry must not come from somewhere else without a question. Versions are free, and so is every package that is new.

/** Where each package comes from, without its version; a package may be there several times. */
type Sources = ReadonlyMap<string, ReadonlySet<string>>;

interface LockFile {
  readonly name: RegExp;
  readonly sources: (lock: Mapping) => Iterable<readonly [name: string, source: string]>;
  /** The parts that are put back for a second run. */
  readonly parts: readonly string[];
}

const LOCK_FILES: readonly LockFile[] = [
  { name: /^(?:package-lock|npm-shrinkwrap)\.json$/, sources: ofNpm, parts: ["packages", "dependencies"] },
  { name: /^(?:yarn\.lock|pnpm-lock\.yaml|Gemfile\.lock|gems\.locked)$/, sources: ofLines, parts: ["packages"] },
  { name: /^bun\.lock$/, sources: ofBun, parts: ["packages", "workspaces"] },
  { name: /^(?:uv|poetry|pdm|pylock)(?:\.\w+)?\.(?:lock|toml)$/, sources: ofPython, parts: ["package", "packages"] },
  { name: /^Pipfile\.lock$/, sources: ofPipenv, parts: ["default", "develop", "_meta"] },
  { name: /^Cargo\.lock$/, sources: ofCargo, parts: ["package"] },
  {
    name: /^deno\.lock$/,
    sources: ofDeno,
    parts: ["specifiers", "redirects", "npm", "jsr", "packages", "remote", "workspace"],
  },
  { name: /^composer\.lock$/, sources: ofComposer, parts: ["packages", "packages-dev"] },
];

/** One that is not a text: it decides as a whole, unless the list of packages beside it changed. */
export const isBinaryLock = (path: string): boolean => /(?:^|\/)bun\.lockb$/.test(path);

/** The parts of a lock file that decide: all, if a package comes from another place than before. Undefined: no lock file. */
export function lockKeys(name: string): ((states: { before: Mapping; after: Mapping }) => string[]) | undefined {
  const file = LOCK_FILES.find((one) => one.name.test(name));
  if (file === undefined) return undefined;
  return ({ before, after }) =>
    isReplaced(asMap(file.sources(before)), asMap(file.sources(after)))
      ? file.parts.filter((key) => valueAt(before, key) !== undefined || valueAt(after, key) !== undefined)
      : [];
}

function asMap(entries: Iterable<readonly [string, string]>): Sources {
  const all = new Map<string, Set<string>>();
  for (const [name, source] of entries) {
    const known = all.get(name) ?? new Set<string>();
    all.set(name, known.add(placeOf(source)));
  }
  return all;
}

function isReplaced(before: Sources, after: Sources): boolean {
  const registries = new Set(
    [...before].flatMap(([name, places]) => [...places].flatMap((at) => registryOf(name, at))),
  );
  const isKnown = (name: string, place: string): boolean =>
    registryOf(name, place).some((registry) => registries.has(registry));
  return [...after].some(([name, places]) => {
    const old = before.get(name);
    if (old === undefined) return false;
    const isSame = (place: string): boolean =>
      old.has(place) ||
      (place === UNSAID && [...old].some((one) => isKnown(name, one))) ||
      (old.has(UNSAID) && isKnown(name, place));
    return ![...places].every(isSame);
  });
}

/** npm itself leaves addresses out and fills them in again: such a package comes from a registry, under its own name. */
const UNSAID = "npm:";

/** `https:registry.example/` of `https:registry.example/jest`; nothing of an address that does not end with the name. */
function registryOf(path: string, place: string): string[] {
  const name = path.replace(/^.*node_modules\//s, "");
  return /^https?:/.test(place) && place.endsWith(`/${name}`) ? [place.slice(0, -name.length)] : [];
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const entriesOf = (value: unknown): [string, unknown][] => (isMapping(value) ? Object.entries(value) : []);
const listOf = (value: unknown): Mapping[] => (Array.isArray(value) ? value.filter(isMapping) : []);

function* ofNpm(lock: Mapping): Generator<[string, string]> {
  for (const [path, one] of [...entriesOf(lock["packages"]), ...entriesOf(lock["dependencies"])])
    if (path !== "" && isMapping(one)) yield [path, text(one["resolved"]) || npmVersion(path, one)];
}

function npmVersion(path: string, one: Mapping): string {
  const version = text(one["version"]);
  if (!/^\d/.test(version) || ["inBundle", "bundled", "link"].some((key) => one[key] === true))
    return version.replace(/^\d.*$/s, "");
  const name = text(one["name"]);
  return name === "" || path.endsWith(`node_modules/${name}`) ? UNSAID : `${UNSAID}${name}`;
}

/** `"jest": ["jest@29.7.0", "", …]`, `["jest@file:tools/jest", …]` */
function* ofBun(lock: Mapping): Generator<[string, string]> {
  for (const [name, one] of entriesOf(lock["packages"]))
    if (Array.isArray(one)) yield [name, `${sourceIn(text(one[0]))} ${placeOf(text(one[1]))}`];
}

function* ofPython(lock: Mapping): Generator<[string, string]> {
  for (const one of [...listOf(lock["package"]), ...listOf(lock["packages"])]) {
    const source = { ...one, ...(isMapping(one["source"]) ? one["source"] : {}) };
    const keys = ["type", "registry", "index", "url", "git", "path", "directory", "editable", "virtual"];
    yield [
      text(one["name"]),
      keys.map((key) => (source[key] === undefined ? "" : `${key} ${placeOf(text(source[key]))}`)).join(""),
    ];
  }
}

function* ofPipenv(lock: Mapping): Generator<[string, string]> {
  for (const [name, one] of [...entriesOf(lock["default"]), ...entriesOf(lock["develop"])])
    yield [name, ["file", "path", "git"].map((key) => text(valueAt(one, key))).join("")];
}

/** Members of the workspace and crates of folders have no source. */
function* ofCargo(lock: Mapping): Generator<[string, string]> {
  for (const one of listOf(lock["package"])) yield [text(one["name"]), text(one["source"])];
}

/** Since version 4 `"npm:jest@29": "29.7.0"`, before that `"npm:jest@29": "npm:jest@29.7.0"` below `packages`. */
function* ofDeno(lock: Mapping): Generator<[string, string]> {
  for (const part of [lock, lock["packages"]]) {
    for (const [wanted, found] of entriesOf(valueAt(part, "specifiers"))) {
      const name = withoutVersion(wanted);
      yield [name, /^\d/.test(text(found)) ? name : withoutVersion(text(found))];
    }
    for (const [name, one] of entriesOf(valueAt(part, "npm")))
      yield [withoutVersion(name), text(valueAt(one, "tarball")) || UNSAID];
  }
  for (const [from, to] of entriesOf(lock["redirects"]))
    yield [withoutVersions(from), `to ${withoutVersions(text(to))}`];
}

/** `jsr:@std/assert@1.0.0` is `jsr:@std/assert`. */
const withoutVersion = (name: string): string => name.replace(/(?<=[^:/])@[^/]*$/s, "");

/** `https://mods.example/sum@1.0.0/mod.ts` is `https://mods.example/sum/mod.ts`. */
const withoutVersions = (address: string): string => address.replaceAll(/@v?\d[^/?]*|[?#].*$/gs, "");

function* ofComposer(lock: Mapping): Generator<[string, string]> {
  for (const one of [...listOf(lock["packages"]), ...listOf(lock["packages-dev"])])
    yield [text(one["name"]), text(valueAt(one, "dist.url")) || text(valueAt(one, "source.url"))];
}

function* ofLines(lock: Mapping): Generator<[string, string]> {
  for (const [name, sources] of entriesOf(lock["packages"]))
    for (const source of Array.isArray(sources) ? sources : []) yield [name, text(source)];
}
