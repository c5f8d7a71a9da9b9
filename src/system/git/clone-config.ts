import { realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { RalphError } from "../../domain/error.ts";
import { pathExists } from "../folder.ts";
import { mustBytes } from "./git.ts";
import { splitNul } from "./path.ts";
import { listConfig, type Repository } from "./repository.ts";

/** What the `.git` of a clone says. Kept outside of it, because an agent can change everything inside. */
export interface CloneTruth {
  /** The text of `config`; each character is one byte. */
  readonly config: string;
  /** The text of `packed-refs`: the person's branches, tags and remote-tracking refs. */
  readonly refs: string;
}

/** Where a push from a lane goes: git has no helper of that name, and says the name. */
export const NO_PUSH = "ralphctl-lane-does-not-push://";

/** L-02: the settings of `home` that decide what git reads and writes, its remotes without push, and its identity. */
export async function readCloneTruth(home: Repository): Promise<CloneTruth> {
  const format = "--format=%(objectname) %(refname)";
  const [listed, refs] = await Promise.all([
    listConfig(home),
    mustBytes(home, ["for-each-ref", format, "refs/heads", "refs/tags", "refs/remotes"]),
  ]);
  const settings = splitNul(listed).map((field) => parseSetting(field.toString("latin1")));
  return { config: configText(home, settings), refs: refs.stdout.toString("latin1") };
}

interface Setting {
  readonly section: string;
  /** As it is written: capitals matter. */
  readonly part: string | undefined;
  readonly key: string;
  /** Undefined: the key stands alone, which means true. */
  readonly value: string | undefined;
}

function parseSetting(field: string): Setting {
  const end = field.indexOf("\n");
  const name = end < 0 ? field : field.slice(0, end);
  const [first, last] = [name.indexOf("."), name.lastIndexOf(".")];
  return {
    section: name.slice(0, first),
    part: first === last ? undefined : name.slice(first + 1, last),
    key: name.slice(last + 1),
    value: end < 0 ? undefined : field.slice(end + 1),
  };
}

const CORE = new Set(
  (
    "autocrlf eol safecrlf attributesfile excludesfile symlinks ignorecase filemode precomposeunicode quotepath " +
    "sparsecheckout sparsecheckoutcone bigfilethreshold trustctime checkstat protecthfs protectntfs whitespace abbrev"
  ).split(" "),
);
const WHOLE_SECTIONS = new Set(["filter", "merge", "diff", "lfs", "i18n", "submodule"]);
const KEYS: Readonly<Record<string, readonly string[]>> = {
  user: ["name", "email"],
  author: ["name", "email"],
  committer: ["name", "email"],
  index: ["sparse"],
  extensions: ["objectformat", "partialclone"],
  remote: ["url", "fetch", "tagopt", "promisor", "partialclonefilter"],
  branch: ["remote", "merge", "rebase"],
};

function configText(home: Repository, settings: readonly Setting[]): string {
  checkRefStorage(settings);
  const own = new Set(settings.filter((setting) => isHomeItself(home, setting)).map(({ part }) => part));
  const kept = settings.filter(({ section, part, key, value }) => {
    if (section === "remote") return !own.has(part) && KEYS["remote"]!.includes(key);
    if (section === "branch" && key === "remote" && own.has(value)) return false;
    // A folder inside the tree is there in a lane too (husky).
    if (section === "core") return CORE.has(key) || (key === "hookspath" && /^[^/~%]/.test(value ?? "/"));
    return WHOLE_SECTIONS.has(section) || KEYS[section]?.includes(key) === true;
  });
  const remotes = new Set(kept.flatMap(({ section, part }) => (section === "remote" ? [part] : [])));
  const hasExtensions = kept.some(({ section }) => section === "extensions");
  const isLfs = kept.some(({ section, part }) => section === "lfs" || (section === "filter" && part === "lfs"));
  const storage = settings.findLast(({ section, part, key }) => section === "lfs" && !part && key === "storage");
  const written: Setting[] = [
    setting("core", "repositoryformatversion", hasExtensions ? "1" : "0"),
    setting("core", "bare", "false"),
    setting("core", "logallrefupdates", "true"),
    ...kept.map((given) => (given.section === "remote" && given.key === "url" ? absoluteUrl(home, given) : given)),
    ...Array.from(remotes, (part) => ({ section: "remote", part, key: "pushurl", value: NO_PUSH })),
    // Also for a push to an address: each begins with nothing.
    { section: "url", part: NO_PUSH, key: "pushinsteadof", value: "" },
    setting("push", "default", "nothing"),
    setting("commit", "gpgsign", "false"),
    setting("tag", "gpgsign", "false"),
    // It would drop what `home` has too, and `home` may lose it later.
    setting("gc", "auto", "0"),
    setting("maintenance", "auto", "false"),
    ...(isLfs ? [setting("lfs", "storage", resolve(home.commonFolder, storage?.value ?? "lfs"))] : []),
    setting("ralphctl", "place", "true"),
  ];
  return written.map(formatSetting).join("");
}

const setting = (section: string, key: string, value: string): Setting => ({ section, part: undefined, key, value });

function formatSetting({ section, part, key, value }: Setting): string {
  const quoted = (text: string): string =>
    `"${text.replaceAll(/[\\"]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t").replaceAll("\b", "\\b")}"`;
  const name = part === undefined ? section : `${section} "${part.replaceAll(/[\\"]/g, "\\$&")}"`;
  return `[${name}]\n\t${key}${value === undefined ? "" : ` = ${quoted(value)}`}\n`;
}

/** The path of a remote on this machine; undefined for one that is reached by a protocol. */
function localPath(home: Repository, url: string): string | undefined {
  const path = url.startsWith("file://") ? url.slice("file://".length) : url;
  if (/^[^/]*:/.test(path)) return undefined;
  return resolve(home.folder, Buffer.from(path, "latin1").toString());
}

function absoluteUrl(home: Repository, given: Setting): Setting {
  const path = localPath(home, given.value ?? "");
  if (path === undefined || given.value?.startsWith("file://")) return given;
  return { ...given, value: Buffer.from(path).toString("latin1") };
}

/** Whether a remote is the repository itself, by another name: then a fetch is useless, and a push would do harm. */
function isHomeItself(home: Repository, { section, key, value }: Setting): boolean {
  const path = section === "remote" && key === "url" ? localPath(home, value ?? "") : undefined;
  if (path === undefined) return false;
  const { folder, gitFolder, commonFolder } = home;
  const own = new Set([folder, gitFolder, commonFolder, dirname(commonFolder)].map(realPath));
  return [path, join(path, ".git")].some((candidate) => own.has(realPath(candidate)));
}

const realPath = (path: string): string => (pathExists(path) ? realpathSync(path) : path);

function checkRefStorage(settings: readonly Setting[]): void {
  const storage = settings.find(({ section, key }) => section === "extensions" && key === "refstorage")?.value;
  if (storage === undefined || storage === "files") return;
  throw new RalphError("config", `The repository keeps its refs in the format ${storage}, which a lane cannot have`, {
    hint: "Use --in-place, or run git refs migrate --ref-format=files",
  });
}
