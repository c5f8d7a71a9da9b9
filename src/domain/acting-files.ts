import { parseJson } from "./json-text.ts";
import { type Mapping, parseMapping } from "./mapping.ts";

/**
 * Files that agents, editors and git obey by themselves: when a session begins, a folder is opened, a file is saved, or a
 * person commits. Patterns from the top of a workspace.
 */
export const ACTING_FILES: readonly string[] = [
  ".mcp.json",
  ".claude/settings*.json",
  ".claude/hooks/**",
  ".codex/config.toml",
  ".codex/agents/**",
  ".codex/hooks*/**",
  ".codex/hooks.json",
  ".gemini/settings.json",
  ".gemini/extensions/**",
  ".qwen/settings.json",
  ".qwen/extensions/**",
  "opencode.json*",
  ".opencode/opencode.json*",
  ".opencode/plugin*/**",
  ".opencode/tool*/**",
  ".opencode/.npmrc",
  ".github/copilot/settings*.json",
  ".github/extensions/**",
  ".github/hooks/**",
  ".github/lsp.json",
  ".cursor/mcp.json",
  ".cursor/hooks.json",
  ".cursor/hooks/**",
  ".kiro/hooks/**",
  ".kiro/settings/**",
  ".roo/mcp.json",
  ".amp/settings.json",
  ".pi/extensions/**",
  ".pi/settings.json",
  ".aider.conf.y*ml",
  ".vscode/mcp.json",
  ".vscode/tasks.json",
  ".zed/tasks.json",
  ".idea/watcherTasks.xml",
  ".devcontainer/**",
  ".devcontainer.json",
  ".exrc",
  ".nvim.lua",
  ".dir-locals.el",
  ".husky/**",
  ".githooks/**",
  ".git-hooks/**",
  ".pre-commit-config.yaml",
  ...["lefthook", ".lefthook", ".config/lefthook"].flatMap((name) =>
    ["yml", "yaml", "toml", "json"].flatMap((ending) => [`${name}.${ending}`, `${name}-local.${ending}`]),
  ),
  ".lefthook/**",
  ".lefthook-local/**",
  ".overcommit.yml",
  ".simple-git-hooks.*",
  "simple-git-hooks.*",
  ".lintstagedrc*",
  "lint-staged.config.*",
];

/**
 * Patterns for the folder of git's hooks and for included settings, if they are in the repository. `config`: as
 * `git config --list -z` says it.
 */
export function gitActingFiles(config: string, folder: string): string[] {
  const paths = config.split("\0").flatMap((field) => {
    const end = field.indexOf("\n");
    const [key, value] = [field.slice(0, end), field.slice(end + 1)];
    if (key === "core.hookspath") return [value];
    // An included file is named from the folder of the file that includes it: `.git`.
    return key === "include.path" && /^\.\.\/[^.]|^\.\.\/\.[^.]|^\//.test(value) ? [value.replace(/^\.\.\//, "")] : [];
  });
  return paths
    .map((path) => (path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path).replace(/^\.\//, ""))
    .filter((path) => !/^(?:[/~%]|\.{0,2}(?:\/|$))/.test(path))
    .map((path) => path.replace(/\/+$/, ""));
}

/** What CLIs write into their settings by themselves when they start: where the format is described, and its version. */
export const STAMPS: ReadonlySet<string> = new Set(["$schema", "$version"]);

/**
 * Whether two texts of a settings file set the same but for such stamps. The order counts, because of several rules that
 * fit some programs obey the last.
 */
export function isOnlyStamped(before: string, after: string): boolean {
  const [old, now] = [parseJson(before), parseJson(after)];
  if (old === undefined || now === undefined) return false;
  const isStamped = [...STAMPS].some((name) => old[name] !== now[name]);
  return isStamped && withoutStamps(old) === withoutStamps(now);
}

const withoutStamps = (settings: Mapping): string =>
  JSON.stringify(Object.entries(settings).filter(([name]) => !STAMPS.has(name)));

/** Whether two texts are the same JSON, with other white space. Comments are none: a line more or less decides what they hide. */
export const isOnlyFormatted = (before: string, after: string): boolean =>
  [before, after].every((text) => parseMapping(text) !== undefined) && compact(before) === compact(after);

const compact = (text: string): string => text.replaceAll(/("(?:\\.|[^"\\])*")|\s+/g, "$1");
