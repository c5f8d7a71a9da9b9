import { posix } from "node:path";
import type { Mapping } from "../../domain/mapping.ts";

// Lock files that are neither JSON nor TOML: where each package comes from, line by line.

/** A source without versions, hashes and file names: `https://registry.example/jest`, `file:tools/jest`. */
export function placeOf(source: string): string {
  const [, scheme = "", rest = ""] =
    /^((?:git\+|registry\+)?https?|git|ssh|git\+ssh):(?:\/\/)?(.*)$/s.exec(source) ?? [];
  if (scheme === "") return source;
  const bare = rest.replace(/[?#].*$/s, "");
  if (/^(?:git|ssh)/.test(scheme) || bare.endsWith(".git")) return `${scheme}:${bare.replace(/\.git$/, "")}`;
  const scoped = /^.*?\/download\/@[^/]+\/[^/]+(?=\/)/s.exec(bare)?.[0];
  if (scoped !== undefined) return `${scheme}:${scoped}`;
  const marks = ["/-/", "/zipball/", "/tarball/", "/tar.gz/", "/archive/", "/packages/"];
  const cut = Math.min(...marks.map((mark) => bare.indexOf(mark)).filter((at) => at > 0), bare.length);
  // Of an address that names no package only the host stays: the rest may be a hash.
  return `${scheme}:${cut === bare.length && /\.\w+$/.test(bare) ? bare.split("/", 1)[0]! : bare.slice(0, cut)}`;
}

/** `evil@npm:1.0.0` is `evil@npm:`, `jest@29.7.0` is `jest@`, and `jest@file:tools/jest` itself. */
export function sourceIn(resolution: string): string {
  const at = resolution.indexOf("@", 1);
  if (at < 0) return resolution;
  if (resolution.startsWith("patch:", at + 1)) return withoutPatchedVersion(resolution);
  const source = resolution.slice(at + 1).replace(/::?locator=.*$|#.*$/s, "");
  const kept = /^(?:npm:)?v?\d/.test(source) ? source.slice(0, source.search(/v?\d/)) : placeOf(source);
  return `${resolution.slice(0, at + 1)}${kept}`;
}

/** `ts@patch:ts@npm%3A5.4.5#./a.patch::version=5.4.5` is `ts@patch:ts@npm%3A#./a.patch`: which patch it is matters. */
const withoutPatchedVersion = (resolution: string): string =>
  resolution
    .replace(/::.*$/s, "")
    .replace(/(?<=[^:]@(?:npm(?:%3A|:))?)v?\d[\w.+-]*(?=#|$)/i, "")
    .replace(/#(?:optional!|~)(?=builtin<)/, "#");

const nameIn = (key: string): string => {
  const at = key.indexOf("@", 1);
  return at < 0 ? key : key.slice(0, at);
};

type Found = Record<string, string[]>;

const add = (to: Found, name: string, source: string): void => void (to[name] ??= []).push(source);
const unquoted = (word: string): string => word.replaceAll(/^["']|["']$/g, "");

/** yarn: `jest@^29:` with `resolved "https://…"`, or `resolution: "jest@npm:29.7.0"` since version 2. */
export function parseYarnLock(lock: string): Mapping {
  const packages: Found = Object.create(null) as Found;
  let names: string[] = [];
  for (const line of lock.split("\n")) {
    if (/^["@\w]/.test(line)) names = line.split(",").map((key) => nameIn(unquoted(key.trim().replace(/:$/, ""))));
    const word = /^ {2}(?:resolved|resolution:) +(\S+)/.exec(line)?.[1];
    for (const name of word === undefined ? [] : new Set(names))
      add(packages, name, line.startsWith("  resolved") ? unquoted(word!) : sourceIn(unquoted(word!)));
  }
  return { packages };
}

/** pnpm: `version: link:../jest` under a dependency, and `resolution: {tarball: …}` of a package. */
export function parsePnpmLock(lock: string): Mapping {
  const packages: Found = Object.create(null) as Found;
  let [section, importer, name] = ["", "", ""];
  for (const line of lock.split("\n")) {
    section = /^(\w+):/.exec(line)?.[1] ?? section;
    importer = /^ {2}(\S+):\s*$/.exec(line)?.[1] ?? importer;
    const key = /^ +(\S+):\s*$/.exec(line)?.[1];
    if (key !== undefined) name = nameIn(unquoted(key).replace(/^\//, ""));
    const version = section === "packages" ? undefined : /^ +version: (\S+)/.exec(line)?.[1];
    if (version !== undefined)
      add(packages, name, versionPlace(unquoted(version), section === "importers" ? importer : "."));
    const resolution = /^ +resolution: \{([^}]*)\}/.exec(line)?.[1];
    if (resolution !== undefined) add(packages, name, placesIn(resolution));
  }
  return { packages };
}

/** A link is relative to the package that has it, `file:` to the lock file. */
function versionPlace(version: string, importer: string): string {
  if (version.startsWith("link:")) return `link:${posix.join(unquoted(importer), version.slice("link:".length))}`;
  return /^v?\d/.test(version) ? "" : sourceIn(version);
}

/** Of a resolution all but its hash. */
const placesIn = (resolution: string): string =>
  resolution
    .split(/, */)
    .filter((part) => !/^(?:integrity|commit|version)\b/.test(part))
    .map((part) => part.replace(/^(?:tarball|repo): /, "").trim())
    .map(placeOf)
    .join(" ");

/** Bundler: gems below `PATH`, `GIT` and `GEM`, each with its remote. */
export function parseGemLock(lock: string): Mapping {
  const packages: Found = Object.create(null) as Found;
  let [section, remote] = ["", ""];
  for (const line of lock.split("\n")) {
    section = /^[A-Z]+/.exec(line)?.[0] ?? section;
    remote = /^ {2}remote: (.*)/.exec(line)?.[1] ?? remote;
    const gem = /^ {4}([\w.-]+)/.exec(line)?.[1];
    if (gem !== undefined && /^(?:PATH|GIT|GEM)$/.test(section)) add(packages, gem, `${section} ${remote}`);
  }
  return { packages };
}
