import { Composer, type Document, isMap, isScalar, Lexer, type ParsedNode, Parser, type YAMLMap } from "yaml";
import { positionAt } from "../domain/position.ts";
import { withoutStacks, yamlTokens } from "../domain/yaml-tokens.ts";
import { PlanError } from "./entry.ts";

const HINT = "Repair the YAML by hand";

/** One YAML document with offsets into the text, comments untouched. Throws `PlanError` with line and column. */
export function parseYaml(text: string): Document.Parsed | undefined {
  const tokens = yamlTokens(text, { lexer: new Lexer(), parser: new Parser() });
  if (!Array.isArray(tokens)) throw new PlanError(positionAt(text, tokens.offset), tokens.sentence, tokens.hint);
  // The library compares every new key with all before it: quadratic. Steps are checked for repeated keys here instead.
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false });
  const documents = withoutStacks(() => [...composer.compose(tokens, false, text.length)] as Document.Parsed[]);
  const [first, second] = documents;
  const error = first?.errors[0];
  if (error) throw new PlanError(positionAt(text, error.pos[0]), sentence(error.message), HINT);
  if (second) {
    const problem = "The file has more than one document";
    throw new PlanError(positionAt(text, second.range[0]), problem, "Keep one document, without `---` in between");
  }
  return first;
}

const sentence = (message: string): string => message.replace(/\.$/, "");

/** A key and its value in a map. The value is missing where nothing stands behind the colon of a flow map. */
export interface YamlPair {
  readonly key: ParsedNode;
  readonly value: ParsedNode | null;
}

export const isYamlMap = (node: unknown): node is YAMLMap.Parsed => isMap(node);

/** The pair of a key; a duplicate is an error, because it is unclear which one counts. */
export function pairOf(text: string, map: YAMLMap.Parsed, name: string): YamlPair | undefined {
  const pairs = map.items.filter(({ key }) => isScalar(key) && key.value === name);
  if (pairs.length > 1) {
    throw new PlanError(positionAt(text, pairs[1]!.key.range[0]), `Duplicate key \`${name}\``, "Remove one of them");
  }
  return pairs[0];
}

/** The text of a scalar; undefined for an empty value, a list, a map or an alias. */
export function wordsOf(node: ParsedNode | null | undefined): string | undefined {
  if (!isScalar(node) || node.value === null || node.value === undefined) return undefined;
  return typeof node.value === "string" ? node.value : (node.source ?? "");
}

export const hasAnchor = (node: ParsedNode): boolean => "anchor" in node && node.anchor !== undefined;
