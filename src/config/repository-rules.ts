import { type Locate, type TextProblem, writtenKey } from "../domain/data-problem.ts";
import { isMapping } from "../domain/mapping.ts";
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

const OWN = "your own settings, ~/.config/ralphctl/config.yaml";
const PLACE = `Move it to ${OWN}, or set RALPHCTL_LANES_FOLDER`;
const SECRET = `Set the variable in your environment, or move it to ${OWN}`;
const TRUST = "Remove it; run ralphctl trust";
