import { join } from "node:path";
import type { Environment } from "../domain/environment.ts";
import { parseJson } from "../domain/json-text.ts";
import { parseToml } from "../domain/toml.ts";
import type { ToolServer } from "../domain/tool-server.ts";
import type { OwnFiles, OwnTexts } from "./harness.ts";
import { asList, asObject, asText, type JsonObject } from "./json-line.ts";

// The servers of tools that the CLIs start, by the files in which people name them.

/** The folder that a variable names, or else one below the home; none without a home. */
const folderOf = (env: Environment, variable: string, otherwise: string): string | undefined =>
  env[variable] || (env["HOME"] && join(env["HOME"], otherwise)) || undefined;

/** Files below such a folder, each with a name for its text. */
export function ownFiles(
  env: Environment,
  [variable, otherwise]: readonly [variable: string, otherwise: string],
  files: Readonly<Record<string, string>>,
): Record<string, string> {
  const folder = folderOf(env, variable, otherwise);
  if (folder === undefined) return {};
  return Object.fromEntries(Object.entries(files).map(([name, file]) => [name, join(folder, file)]));
}

/** Those of the person and those of the repository, both called so. */
export const settingsFiles =
  (folder: string): OwnFiles =>
  ({ env, cwd }) => ({
    ...ownFiles(env, ["", folder], { user: "settings.json" }),
    project: join(cwd, folder, "settings.json"),
  });

/** Gemini CLI and Qwen Code: by name, the repository's before the person's, as far as they are not excluded. */
export function serversInSettings(own: OwnTexts): ToolServer[] {
  const [user, project] = ["user", "project"].map((name) => parseJson(own[name] ?? "") ?? {});
  const rules = { ...asObject(user!["mcp"]), ...asObject(project!["mcp"]) };
  const [allowed, excluded] = [rules["allowed"], asList(rules["excluded"])];
  const isAllowed = ({ name }: ToolServer): boolean =>
    (allowed === undefined || asList(allowed).includes(name)) && !excluded.includes(name);
  return serversOf({ ...asObject(user!["mcpServers"]), ...asObject(project!["mcpServers"]) }).filter(isAllowed);
}

export const copilotFiles: OwnFiles = ({ env }) =>
  ownFiles(env, ["COPILOT_HOME", ".copilot"], { user: "mcp-config.json", settings: "settings.json" });

/** Those of the repository are not started in a folder that nobody has trusted. */
export function copilotServers(own: OwnTexts): ToolServer[] {
  const disabled = asList(parseJson(own["settings"] ?? "")?.["disabledMcpServers"]);
  return serversOf(parseJson(own["user"] ?? "")?.["mcpServers"]).filter(({ name }) => !disabled.includes(name));
}

export const codexFiles: OwnFiles = ({ env }) => ownFiles(env, ["CODEX_HOME", ".codex"], { user: "config.toml" });

export const codexServers = (own: OwnTexts): ToolServer[] => serversOf(parseToml(own["user"] ?? "")?.["mcp_servers"]);

const OPENCODE = ["config.json", "opencode.json", "opencode.jsonc"];

/** Later ones take the place of earlier ones. */
export const opencodeFiles: OwnFiles = ({ env, cwd }) => {
  const home = folderOf(env, "XDG_CONFIG_HOME", ".config");
  const files = [
    ...(home !== undefined ? OPENCODE.map((name) => join(home, "opencode", name)) : []),
    ...(env["OPENCODE_CONFIG"] ? [env["OPENCODE_CONFIG"]] : []),
    ...["", ".opencode"].flatMap((folder) => OPENCODE.slice(1).map((name) => join(cwd, folder, name))),
  ];
  return Object.fromEntries(files.map((path, at) => [`config${at}`, path]));
};

export const opencodeServers = (own: OwnTexts): ToolServer[] =>
  serversOf(Object.assign({}, ...Object.values(own).map((text) => parseJson(text)?.["mcp"])));

/** A list of servers by their names, in any of the ways in which CLIs write it. */
export const serversOf = (list: unknown): ToolServer[] =>
  Object.entries(asObject(list) ?? {}).flatMap(([name, entry]) => serverOf(name, asObject(entry) ?? {}) ?? []);

function serverOf(name: string, entry: JsonObject): ToolServer | undefined {
  // In TOML values stay as they are written.
  if (/false/.test(String(entry["enabled"])) || entry["disabled"] === true) return undefined;
  const url = asText(entry["httpUrl"]) ?? asText(entry["url"]);
  if (url !== undefined) return { name, url, headers: textsIn(entry["headers"] ?? entry["http_headers"]) };
  const [file, ...args] = [entry["command"], entry["args"]].flat().filter((word) => typeof word === "string");
  if (file === undefined) return undefined;
  const cwd = asText(entry["cwd"]);
  const env = textsIn(entry["env"] ?? entry["environment"]);
  return { name, command: [file, ...args], env, ...(cwd !== undefined && { cwd }) };
}

const textsIn = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(asObject(value) ?? {}).flatMap(([name, text]) => (typeof text === "string" ? [[name, text]] : [])),
  );
