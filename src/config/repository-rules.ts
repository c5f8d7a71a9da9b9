import { resolve } from "node:path";
import { type KeyPath, type Locate, type TextProblem, writtenKey } from "../domain/data-problem.ts";
import { isMapping } from "../domain/mapping.ts";
import { isBelow } from "../system/folder.ts";
import { gitFolder } from "../system/git/folder.ts";
import { valueAt } from "../system/check-data.ts";
import type { Position } from "../domain/position.ts";
import type { Tree } from "./tree.ts";

const LOGIN = /(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?|COOKIE)$/i;
/** Gates need passwords of test databases, so a lane's variables may not only set logins of agents. */
const AGENT = /^(?:ANTHROPIC|CLAUDE|OPENAI|CODEX|AZURE_OPENAI|GEMINI|GOOGLE|COPILOT|GH|GITHUB|OPENROUTER|DASHSCOPE)_/i;

/** Beside the workspace, where lanes may be anyway. */
const BESIDE = /^\.\.(?:\/(?!\.\.?(?:\/|$))[^/]+)?\/?$/;

/**
 * B-01: what no file of a repository may say, trusted or not: where a person's state is, with which login agents work, and
 * that it is to be trusted.
 */
export function repositoryProblems(tree: Tree, locate: Locate<Position | undefined>): TextProblem[] {
  const { lanes, harnesses } = tree;
  const problem = (path: readonly string[], sentence: string, hint: string): TextProblem => ({
    sentence: `${writtenKey(path)} ${sentence}`,
    hint,
    position: locate(path, "key"),
  });
  const place =
    isMapping(lanes) && typeof lanes["folder"] === "string" && !BESIDE.test(lanes["folder"])
      ? [problem(["lanes", "folder"], "is a place on your machine, which a repository's file cannot choose", PLACE)]
      : [];
  const environments = [
    { path: ["lanes", "env"], env: isMapping(lanes) ? lanes["env"] : undefined, isAgents: false },
    ...Object.entries(isMapping(harnesses) ? harnesses : {}).map(([name, settings]) => ({
      path: ["harnesses", name, "env"],
      env: isMapping(settings) ? settings["env"] : undefined,
      isAgents: true,
    })),
  ];
  const variables = environments.flatMap(({ path, env, isAgents }) =>
    Object.entries(isMapping(env) ? env : {}).flatMap(([name, value]): TextProblem[] => {
      if (name === "RALPHCTL_TRUST") return [problem([...path, name], "is for a person to say", TRUST)];
      const isLogin = LOGIN.test(name) && (isAgents || AGENT.test(name)) && value !== "";
      return isLogin ? [problem([...path, name], "is a login, which a repository's file cannot set", SECRET)] : [];
    }),
  );
  return [...place, ...variables];
}

/** B-03: keys whose paths must stay inside the repository. Programs may lie anywhere; trust shows them. */
const INSIDE: readonly (readonly [string, ...string[]])[] = [
  ["specs", "dirs"],
  ["plan"],
  ["prompts", "plan"],
  ["prompts", "build"],
  ["prompts", "template"],
  ["layouts"],
  ["workflows"],
  ["plugins"],
];

/**
 * B-03: paths that lead out of the repository whose file names them, by `..` or from the root. `base`: the folder that
 * they start from. A person may name such a path in their own settings, a variable or a flag.
 */
export function pathProblems(tree: Tree, base: string, locate: Locate<Position | undefined>): TextProblem[] {
  const top = gitFolder(base)?.top ?? base;
  return INSIDE.flatMap((key) =>
    pathsAt(valueAt(tree, key), key).flatMap(({ path, value }): TextProblem[] => {
      if (isBelow(top, resolve(base, value)) || value === "auto") return [];
      const sentence = `${writtenKey(path)} leads out of the repository: ${JSON.stringify(value)}`;
      return [{ sentence, hint: OUTSIDE, position: locate(path, "value") }];
    }),
  );
}

interface NamedPath {
  readonly path: KeyPath;
  readonly value: string;
}

function pathsAt(value: unknown, path: KeyPath): NamedPath[] {
  if (typeof value === "string") return [{ path, value }];
  if (Array.isArray(value)) return value.flatMap((entry: unknown, index) => pathsAt(entry, [...path, index]));
  return isMapping(value) ? Object.entries(value).flatMap(([name, entry]) => pathsAt(entry, [...path, name])) : [];
}

const OWN = "your own settings, ~/.config/ralphctl/config.yaml";
const PLACE = `Move it to ${OWN}, or set RALPHCTL_LANES_FOLDER`;
const OUTSIDE = `Name a place inside of it, or say it in ${OWN}, or by a variable`;
const SECRET = `Set the variable in your environment, or move it to ${OWN}`;
const TRUST = "Remove it; run ralphctl trust";
