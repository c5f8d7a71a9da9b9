import type { TextProblem } from "../domain/data-problem.ts";
import { type Environment, VARIABLE_PREFIX } from "../domain/environment.ts";
import { closestMatch } from "../domain/closest-match.ts";
import { configKeys, variableOf, type ConfigKey } from "./keys.ts";
import type { Kind } from "./kinds.ts";
import { RESERVED_VARIABLES } from "./reserved.ts";
import { merge, type Tree } from "./tree.ts";
import { readYaml } from "../system/yaml-text.ts";

/**
 * The configuration in the environment, and which variable set what. `harnesses`: names in use, for a variable cannot hold
 * all their signs. Variables that mean nothing are problems: a typo in a limit must not pass in silence.
 */
export function readEnvironment(env: Environment, harnesses: readonly string[]) {
  const known = knownVariables(harnesses);
  const variables: { readonly path: readonly string[]; readonly variable: string }[] = [];
  const problems: TextProblem[] = [];
  let tree: Tree = {};
  const names = Object.keys(env).filter((name) => name.startsWith(VARIABLE_PREFIX));
  for (const variable of names.sort()) {
    const text = env[variable];
    if (text === undefined || text === "" || RESERVED_VARIABLES.includes(variable)) continue;
    const key = known.get(variable) ?? newHarnessKey(variable);
    if (key === undefined) {
      problems.push(unknownVariable(variable, [...known.keys()]));
    } else {
      variables.push({ path: key.path, variable });
      tree = merge(tree, nested(key.path, valueFromText(text, key.kind)));
    }
  }
  return { tree, variables, problems };
}

type NamedKey = Pick<ConfigKey, "path" | "kind">;

function knownVariables(harnesses: readonly string[]): Map<string, NamedKey> {
  const keys = configKeys().filter(({ variable }) => variable !== undefined);
  const named = keys.flatMap(({ path, kind }): NamedKey[] =>
    path.includes("<name>") ? harnesses.map((name) => ({ path: withName(path, name), kind })) : [{ path, kind }],
  );
  return new Map(named.map((key) => [variableOf(key.path), key]));
}

/** A harness that no file names yet: its name is what stands between, in small letters. */
function newHarnessKey(variable: string): NamedKey | undefined {
  for (const { path, kind } of configKeys().filter(({ path }) => path.includes("<name>"))) {
    const [before = "", after = ""] = variableOf(path).split("<NAME>");
    const name = variable.slice(before.length, -after.length).toLowerCase();
    const fits =
      variable.startsWith(before) && variable.endsWith(after) && variable.length > before.length + after.length;
    if (fits && name !== "__proto__") return { path: withName(path, name), kind };
  }
  return undefined;
}

const withName = (path: readonly string[], name: string): string[] =>
  path.map((step) => (step === "<name>" ? name : step));

const nested = (path: readonly string[], value: unknown): Tree =>
  path.reduceRight<unknown>((inner, step) => ({ [step]: inner }), value) as Tree;

function unknownVariable(variable: string, known: readonly string[]): TextProblem {
  // Without what they all begin with: otherwise any two would look alike.
  const bare = (name: string): string => name.slice(VARIABLE_PREFIX.length);
  const word = closestMatch(bare(variable), known.map(bare));
  const meant = word === undefined ? undefined : `${VARIABLE_PREFIX}${word}`;
  return {
    sentence: `Unknown environment variable ${variable}${meant === undefined ? "" : `; the closest is ${meant}`}`,
    hint:
      meant === undefined ? `Unset it: \`unset ${variable}\`` : `Set \`${meant}\` instead, or \`unset ${variable}\``,
  };
}

/** A value that was given as plain text, in a variable or a flag. What does not fit stays text: the check will say so. */
export function valueFromText(text: string, kind: Kind): unknown {
  const trimmed = text.trim();
  if (trimmed === "~") return null;
  if (kind.words?.includes(trimmed) === true) return trimmed;
  if (kind.fromText === "text") return text;
  if (kind.fromText === "list" && !trimmed.startsWith("[")) {
    return trimmed
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
  }
  const yaml = readYaml(trimmed);
  return yaml.kind === "read" && yaml.data !== undefined ? yaml.data : text;
}
