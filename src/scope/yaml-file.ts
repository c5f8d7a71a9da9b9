import { type KeyPath, type Locate, placedSentence, type TextProblem, problemsError } from "../domain/data-problem.ts";
import { RalphError } from "../domain/error.ts";
import { isMapping, type Mapping } from "../domain/mapping.ts";
import { readTextFile } from "../system/text-file.ts";
import { readYaml } from "../system/yaml-text.ts";

/** A YAML file with keys and values, and where each of them stands. */
export interface YamlFile {
  /** As the user would write it. */
  readonly file: string;
  readonly data: Mapping;
  readonly locate: Locate;
}

const LIMIT_BYTES = 4 * 1024 * 1024;

/** Reads such a file; undefined where there is none. What is wrong with it is an error that names line and column. */
export async function readYamlFile(path: string, shown: string): Promise<YamlFile | undefined> {
  const text = await readTextFile(path, { limitBytes: LIMIT_BYTES, what: shown });
  if (text === undefined) return undefined;
  const yaml = readYaml(text);
  if (yaml.kind === "broken") throw problemsError("data", yaml.problems.slice(0, 1), shown);
  const data = yaml.data ?? {};
  if (isMapping(data)) return { file: shown, data, locate: yaml.locate };
  throw new RalphError("data", `${shown} is not a mapping of keys to values`, { hint: "Begin it with `goal: …`" });
}

/** A problem with the place of a key in its sentence. */
export const placed = ({ file, locate }: YamlFile, path: KeyPath, problem: TextProblem): TextProblem => ({
  ...problem,
  sentence: placedSentence({ ...problem, position: locate(path, "key") }, file),
});

/** Text, or a number as text; undefined for anything else and for what is blank. */
export function textAt(mapping: Mapping, key: string): string | undefined {
  const value = mapping[key];
  return isText(value) ? String(value) : undefined;
}

export const isText = (value: unknown): value is string | number =>
  typeof value === "number" || (typeof value === "string" && value.trim() !== "");
