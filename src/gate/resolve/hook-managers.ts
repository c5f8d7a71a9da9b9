import { isMapping, type Mapping } from "../../domain/mapping.ts";
import { below, type Call, pathIn, type Resolver, type Walk } from "./walk.ts";

const mappings = (value: unknown): Mapping[] => (Array.isArray(value) ? value.filter(isMapping) : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");

export const PRE_COMMIT = ".pre-commit-config.yaml";

const withoutRevision = (repo: Mapping): Mapping =>
  Object.fromEntries(Object.entries(repo).filter(([key]) => key !== "rev"));

/** The configuration of pre-commit without the versions of hooks: to upgrade one is work. */
export const withoutRevisions = (parts: Mapping): Mapping => ({
  ...parts,
  ...("repos" in parts && { repos: mappings(parts["repos"]).map(withoutRevision) }),
});

/** pre-commit: its hooks of the repository itself. Not followed: hooks of other repositories. */
export const preCommit: Resolver = (call, walk) => call.program === "pre-commit" && followPreCommit(call, walk);

async function followPreCommit(call: Call, walk: Walk): Promise<true> {
  const path = below(call.folder, PRE_COMMIT);
  walk.decide({ path, why: "pre-commit reads it", isDefinition: true });
  walk.mention((await walk.text(path)) ?? "");
  for (const repo of mappings((await walk.parts(path))?.["repos"])) {
    if (repo["repo"] !== "local") walk.cannotFollow(`${path}: hooks of ${text(repo["repo"])}`);
    else for (const hook of mappings(repo["hooks"])) await followEntry(call, walk, hook);
  }
  return true;
}

/** With `language: script`, the first word is a file of the repository. */
async function followEntry({ folder, depth }: Call, walk: Walk, hook: Mapping): Promise<void> {
  const entry = [text(hook["entry"]), ...(Array.isArray(hook["args"]) ? hook["args"].map(text) : [])].join(" ");
  const isFile = text(hook["language"]).endsWith("script");
  await walk.follow(isFile ? `./${entry}` : entry, { folder, depth: depth + 1 });
}

const LEFTHOOK_FILES = ["lefthook", ".lefthook", ".config/lefthook"].flatMap((name) =>
  [".yml", ".yaml", ".toml", ".json"].map((ending) => name + ending),
);
const LEFTHOOK_KEYS = ["extends", "remotes", "source_dir", "source_dir_local", "rc", "templates", "skip_in_rebase"];

/** lefthook: commands, jobs and scripts of a hook. Not followed: what other files and repositories add. */
export const lefthook: Resolver = (call, walk) => call.program === "lefthook" && followLefthook(call, walk);

async function followLefthook(call: Call, walk: Walk): Promise<boolean> {
  const [word, name] = call.args.filter((one) => !one.startsWith("-"));
  if (word !== "run" || name === undefined) return false;
  for (const file of LEFTHOOK_FILES) {
    const path = below(call.folder, file);
    const parts = await walk.parts(path);
    if (parts === undefined) continue;
    walk.decide({ path, keys: [name, ...LEFTHOOK_KEYS], why: `lefthook ${name}`, isDefinition: true });
    if (parts["extends"] !== undefined || parts["remotes"] !== undefined)
      walk.cannotFollow(`${path}: what other files and repositories add to it`);
    const hook = parts[name];
    const scripts = below(text(parts["source_dir"]) || ".lefthook", name);
    if (isMapping(hook)) await followHook({ ...call, depth: call.depth + 1 }, walk, { hook, scripts });
    return true;
  }
  return false;
}

interface LefthookPart {
  readonly hook: Mapping;
  /** The folder of its scripts. */
  readonly scripts: string;
}

async function followHook(call: Call, walk: Walk, { hook, scripts }: LefthookPart): Promise<void> {
  const named = (key: string): [string, unknown][] => Object.entries(isMapping(hook[key]) ? hook[key] : {});
  const jobs = [
    ...named("commands")
      .map(([, one]) => one)
      .filter(isMapping),
    ...mappings(hook["jobs"]),
  ];
  for (const job of jobs) {
    const folder = pathIn(call.folder, text(job["root"])) ?? call.folder;
    await walk.follow(text(job["run"]), { folder, depth: call.depth });
    if (typeof job["script"] === "string") await followScript(call, walk, [`${scripts}/${job["script"]}`, job]);
    if (isMapping(job["group"])) await followHook(call, walk, { hook: job["group"], scripts });
  }
  for (const [file, about] of named("scripts")) await followScript(call, walk, [`${scripts}/${file}`, about]);
}

async function followScript({ folder, depth }: Call, walk: Walk, [path, about]: [string, unknown]): Promise<void> {
  const runner = isMapping(about) ? text(about["runner"]) : "";
  await walk.follow(`${runner} ./${path}`.trim(), { folder, depth });
}
