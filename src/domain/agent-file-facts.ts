import { STAMPS } from "./acting-files.ts";
import { parseJson } from "./json-text.ts";
import { isMapping, type Mapping } from "./mapping.ts";
import { settingsIn } from "./secret-values.ts";
import { parseToml } from "./toml.ts";
import { STRONG_VARIABLE, type TrustFact } from "./trust-facts.ts";

/** More than a person reads; beyond that, only that the file changes. */
const MOST = 100;

export interface ObeyedFile {
  /** As a person knows it, from the top of the repository. */
  readonly name: string;
  readonly text: string;
  /** Keys at the top that are no facts. */
  readonly harmless: readonly string[];
  /** Of the text. */
  readonly hash: string;
}

/**
 * B-01: what a file that an agent CLI obeys by itself starts or sets. One that is not understood is a fact as a whole: the
 * CLI may understand it.
 */
export function agentFileFacts({ name, text, harmless, hash }: ObeyedFile): TrustFact[] {
  const whole = { key: name, value: `the whole file, sha256 ${hash.slice(0, 16)}`, isStrong: false };
  const tree = treeOf(name, text);
  if (tree === undefined) return text.trim() === "" ? [] : [whole];
  const asked = Object.fromEntries(Object.entries(tree).filter(([key]) => !harmless.includes(key) && !STAMPS.has(key)));
  const facts = factsBelow(asked, [], name);
  return facts.length > MOST ? [whole] : facts;
}

function treeOf(name: string, text: string): Mapping | undefined {
  if (/\.jsonc?$/.test(name)) return parseJson(text);
  if (name.endsWith(".toml")) return parseToml(text);
  if (/(?:^|\/)\.env$/.test(name)) return agentVariables(settingsIn(text));
  return undefined;
}

/** An application keeps its own settings in such a file. Some names mean something to an agent or to Node. */
const agentVariables = (variables: Readonly<Record<string, string>>): Mapping =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => AGENTS.test(name)));

const AGENTS =
  /^(?:ANTHROPIC|CLAUDE|OPENAI|CODEX|AZURE_OPENAI|GEMINI|GOOGLE|CLOUDSDK|QWEN|DASHSCOPE|MODELSCOPE|OPENROUTER|OTEL|NODE|NPM_CONFIG|BASH|GIT|LD|DYLD)_|^(?:PATH|SHELL|SANDBOX|ENV)$|PROXY$/i;

function factsBelow(value: unknown, path: readonly string[], file: string): TrustFact[] {
  if (value === null || value === undefined) return [];
  if (isMapping(value)) {
    return Object.entries(value).flatMap(([name, inner]) => factsBelow(inner, [...path, name], file));
  }
  if (Array.isArray(value) && value.every(isMapping)) {
    return value.flatMap((entry, index) => factsBelow(entry, [...path, String(index + 1)], file));
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const isStrong = STRONG_VARIABLE.test(path.at(-1)!) || /helper$/i.test(path.at(-1)!) || text.includes("://");
  return [{ key: `${file}: ${path.join(".")}`, value: text, isStrong }];
}
