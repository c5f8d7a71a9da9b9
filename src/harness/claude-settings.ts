import { join } from "node:path";
import type { ToolServer } from "../domain/tool-server.ts";
import type { AgentFile } from "../system/process/agent-process.ts";
import type { OwnFiles, OwnTexts, Session } from "./harness.ts";
import { asList, asObject, jsonIn, type JsonObject } from "./json-line.ts";
import { ownFiles, serversOf } from "./tool-servers.ts";

/** The person's settings and those of the repository, and their servers of tools. */
export function claudeFiles({ env, cwd }: Parameters<OwnFiles>[0]): Readonly<Record<string, string>> {
  return {
    ...ownFiles(env, ["CLAUDE_CONFIG_DIR", ".claude"], { user: "settings.json" }),
    ...ownFiles(env, ["CLAUDE_CONFIG_DIR", ""], { state: ".claude.json" }),
    project: join(cwd, ".claude", "settings.json"),
    local: join(cwd, ".claude", "settings.local.json"),
    servers: join(cwd, ".mcp.json"),
  };
}

/** The person's only where their settings apply whole; those of the repository always. */
export function claudeServers({ own = {}, settings, cwd }: Pick<Session, "own" | "settings" | "cwd">): ToolServer[] {
  const isWhole = settings.userSettings === "all" && !hasBothHooks(own);
  const state = isWhole ? (jsonIn(own["state"] ?? "") ?? {}) : {};
  const folder = asObject(asObject(state["projects"])?.[cwd]);
  const lists = ["user", ...REPOSITORY].map((name) => asList(jsonIn(own[name] ?? "")?.["disabledMcpjsonServers"]));
  return [
    ...serversOf({ ...asObject(state["mcpServers"]), ...asObject(folder?.["mcpServers"]) }),
    ...serversOf(jsonIn(own["servers"] ?? "")?.["mcpServers"]).filter(({ name }) =>
      lists.every((names) => !names.includes(name)),
    ),
  ];
}

/** What a start adds so that the person's set-up applies as far as `userSettings` says. */
interface Chosen {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly AgentFile[];
}

/**
 * By default all of the person's set-up applies but their hooks, which may block a session or hang, and their output style.
 * Claude Code switches off all hooks or none. The repository's own may be part of how it is worked on: if there are both,
 * its hooks run, and of the person's settings only the login, the model and the permissions apply.
 */
export function claudeSettings(session: Pick<Session, "settings" | "folder" | "own" | "isSandboxed">): Chosen {
  const { settings, folder, own = {}, isSandboxed = false } = session;
  const user = jsonIn(own["user"] ?? "") ?? {};
  if (settings.userSettings === "none") return { args: WITHOUT_USER, env: {}, files: [] };
  if (settings.userSettings === "login") return parts(user, LOGIN, folder);
  if (hasBothHooks(own)) return parts(user, [...LOGIN, "model", "permissions"], folder);
  const hasStyle =
    user["outputStyle"] !== undefined && !REPOSITORY.some((name) => /"outputStyle"/.test(own[name] ?? ""));
  const changes = {
    ...(hasRepositoryHooks(own) ? {} : { disableAllHooks: true }),
    ...(hasStyle ? { outputStyle: "default" } : {}),
    ...(isSandboxed && Object.values(own).some((text) => /"sandbox"/.test(text))
      ? { sandbox: { enabled: false } }
      : {}),
  };
  const isEmpty = Object.keys(changes).length === 0;
  return { args: isEmpty ? [] : ["--settings", JSON.stringify(changes)], env: {}, files: [] };
}

/** What a person should know of their settings before a run. */
export const claudeHooksWarning = (own: OwnTexts): string | undefined =>
  hasBothHooks(own)
    ? "Claude Code can switch off only all hooks at once. The repository's hooks run, so of your own settings only login, model and permissions apply"
    : undefined;

const WITHOUT_USER = ["--setting-sources", "project,local"];
const REPOSITORY = ["project", "local"];
/** Programs, each with arguments that may be secrets: no command line shows them. */
const LOGIN = ["apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "proxyAuthHelper"];

function parts(user: JsonObject, keys: readonly string[], folder: string): Chosen {
  const chosen = Object.fromEntries(keys.flatMap((key) => (user[key] === undefined ? [] : [[key, user[key]]])));
  const env = Object.entries(asObject(user["env"]) ?? {}).map(([name, value]) => [name, String(value)]);
  const path = join(folder, "claude-settings.json");
  const isEmpty = Object.keys(chosen).length === 0;
  return {
    args: [...WITHOUT_USER, ...(isEmpty ? [] : ["--settings", path])],
    env: Object.fromEntries(env),
    files: isEmpty ? [] : [{ path, text: JSON.stringify(chosen), isSecret: true }],
  };
}

const hasHooks = (own: OwnTexts, name: string): boolean =>
  Object.keys(asObject(jsonIn(own[name] ?? "")?.["hooks"]) ?? {}).length > 0;

const hasRepositoryHooks = (own: OwnTexts): boolean => REPOSITORY.some((name) => hasHooks(own, name));

const hasBothHooks = (own: OwnTexts): boolean => hasHooks(own, "user") && hasRepositoryHooks(own);
