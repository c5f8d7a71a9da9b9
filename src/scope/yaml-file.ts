import { RalphError } from "../domain/error.ts";
import { checkInside } from "../system/folder.ts";
import { readTextFile } from "../system/text-file.ts";
import type { Position } from "../domain/position.ts";
import { type KeyPath, readYaml } from "../system/yaml-text.ts";

export type Mapping = Readonly<Record<string, unknown>>;

/** A YAML file with keys and values, and where each of them stands. */
export interface YamlFile {
  /** As the user would write it. */
  readonly file: string;
  readonly data: Mapping;
  readonly locate: (path: KeyPath, part: "key" | "value") => Position;
}

export interface YamlPlace {
  readonly path: string;
  readonly shown: string;
  /** What the file may not lead out of. */
  readonly root: string;
}

const LIMIT_BYTES = 4 * 1024 * 1024;

/** Reads such a file; undefined where there is none. What is wrong with it is an error that names line and column. */
export async function readYamlFile({ path, shown, root }: YamlPlace): Promise<YamlFile | undefined> {
  await checkInside(root, path);
  const text = await readTextFile(path, { limitBytes: LIMIT_BYTES, what: shown });
  if (text === undefined) return undefined;
  const yaml = readYaml(text);
  if (yaml.kind === "broken") {
    const [first] = yaml.problems;
    const at = first?.position ? `, line ${first.position.line}, column ${first.position.column}` : "";
    const { sentence = "It is not valid YAML", hint = "Check it" } = first ?? {};
    throw new RalphError("data", `${sentence} (${shown}${at})`, { hint });
  }
  const data = yaml.data ?? {};
  if (isMapping(data)) return { file: shown, data, locate: yaml.locate };
  throw new RalphError("data", `${shown} is not a mapping of keys to values`, { hint: "Begin it with `goal: …`" });
}

/** Text, or a number as text; undefined for anything else and for what is blank. */
export function textAt(mapping: Mapping, key: string): string | undefined {
  const value = mapping[key];
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

export const isMapping = (value: unknown): value is Mapping =>
  typeof value === "object" && value !== null && !Array.isArray(value);
