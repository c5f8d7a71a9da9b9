import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, Parser, stringify } from "yaml";
import { type KeyPath, type Locate, MAX_PROBLEMS, type TextProblem } from "../domain/data-problem.ts";
import { type Position, positionAt } from "../domain/position.ts";
import { withoutStacks, yamlTokens } from "../domain/yaml-tokens.ts";
import type { Alias, Document, Node, ParsedNode, Scalar, YAMLError, YAMLMap } from "yaml";

export type YamlText =
  | {
      readonly kind: "read";
      /** Plain data without prototypes; undefined for a text without content. */
      readonly data: unknown;
      /** The position of the value (or its key), or of the closest existing parent. */
      readonly locate: Locate;
    }
  | { readonly kind: "broken"; readonly problems: readonly TextProblem[] };

// Of the values that anchors and aliases expand to.
const MAX_DEPTH = 60;
const MAX_VALUES = 20_000;

/** Reads one YAML document into plain data. Never throws, whatever the text; anchors are resolved within bounds. */
export function readYaml(text: string, { isLong = false } = {}): YamlText {
  const parsed = parse(text, isLong);
  if (!("document" in parsed)) return { kind: "broken", problems: [parsed] };
  const { document } = parsed;
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) return { kind: "broken", problems: syntaxProblems(text, faults) };

  const reading: Reading = { text, aliases: aliasTargets(document), problems: [], open: new Set(), values: 0 };
  const data = document.contents === null ? undefined : toData(reading, document.contents, 0);
  if (reading.problems.length > 0) return { kind: "broken", problems: reading.problems };
  return { kind: "read", data, locate: (path, part) => locate(reading, document.contents, { path, part }) };
}

function parse(text: string, isLong: boolean): { readonly document: Document.Parsed } | TextProblem {
  const tokens = yamlTokens(text, { lexer: new Lexer(), parser: new Parser() }, isLong);
  if (!Array.isArray(tokens)) {
    const { offset, sentence, hint } = tokens;
    return { sentence, hint, position: positionAt(text, offset) };
  }
  const [document, second] = withoutStacks(() => {
    const composer = new Composer({ uniqueKeys: false, prettyErrors: false, logLevel: "silent" });
    return [...composer.compose(tokens, true, text.length)];
  });
  if (second !== undefined) {
    return {
      sentence: "A second YAML document starts here",
      hint: "Keep one document in the file: remove the line `---`",
      position: positionAt(text, second.range[0]),
    };
  }
  // With `forceDoc` there always is one; it is "parsed" because it was composed from tokens.
  return { document: document as Document.Parsed };
}

interface Reading {
  readonly text: string;
  readonly aliases: ReadonlyMap<Alias, Node>;
  readonly problems: TextProblem[];
  /** Anchored nodes around the one that is being read: meeting one again is a cycle. */
  readonly open: Set<Node>;
  values: number;
}

/** An alias means the last anchor of its name before it, so one pass in the order of the text settles all. */
function aliasTargets(document: Document.Parsed): Map<Alias, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  const walk = (node: unknown): void => {
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target !== undefined) targets.set(node, target);
      return;
    }
    if ((isMap(node) || isSeq(node) || isScalar(node)) && node.anchor !== undefined) anchors.set(node.anchor, node);
    if (isSeq(node)) node.items.forEach(walk);
    if (isMap(node)) {
      for (const { key, value } of node.items) {
        walk(key);
        walk(value);
      }
    }
  };
  walk(document.contents);
  return targets;
}

function toData(reading: Reading, node: unknown, depth: number): unknown {
  reading.values += 1;
  if (reading.values > MAX_VALUES || depth > MAX_DEPTH) return refuse(reading, node);
  if (isAlias(node)) return aliasToData(reading, node, depth);
  if (isScalar(node)) return scalarToData(reading, node);
  if (!isMap(node) && !isSeq(node)) return null;
  reading.open.add(node);
  const data = isMap(node)
    ? mapToData(reading, node, depth)
    : node.items.map((item) => toData(reading, item, depth + 1));
  reading.open.delete(node);
  return data;
}

/** Says it once, however often the bound is met on the way back. */
function refuse(reading: Reading, node: unknown): undefined {
  if (reading.problems.some(({ hint }) => hint === TOO_MUCH.hint)) return undefined;
  return note(reading, node, TOO_MUCH);
}

function note(reading: Reading, node: unknown, problem: Omit<TextProblem, "position">): undefined {
  if (reading.problems.length >= MAX_PROBLEMS) return;
  reading.problems.push({ ...problem, position: positionOf(reading.text, node) });
}

const TOO_MUCH = {
  sentence: "The anchors and aliases expand to too many values",
  hint: "Write the values out instead of repeating them by alias",
};

function aliasToData(reading: Reading, alias: Alias, depth: number): unknown {
  const target = reading.aliases.get(alias);
  if (target === undefined) {
    return note(reading, alias, {
      sentence: `The alias *${alias.source} has no anchor`,
      hint: `Define the value with &${alias.source} above this line`,
    });
  }
  if (reading.open.has(target)) {
    return note(reading, alias, {
      sentence: `The alias *${alias.source} is inside the value that it refers to`,
      hint: "Remove the alias: a value cannot contain itself",
    });
  }
  return toData(reading, target, depth + 1);
}

function scalarToData(reading: Reading, node: Scalar): unknown {
  const { value } = node;
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) return value;
  return note(reading, node, {
    sentence: "This type of value is not supported",
    hint: "Write text, a number, true or false; put other text in quotes",
  });
}

function mapToData(reading: Reading, map: YAMLMap, depth: number): unknown {
  // Without a prototype, so that no key can reach one.
  const data = Object.create(null) as Record<string, unknown>;
  for (const { key, value } of map.items) {
    const name = keyName(reading, key);
    if (name === undefined || name === "__proto__") {
      const shown = name === undefined ? "A list or a mapping" : "`__proto__`";
      note(reading, key ?? map, { sentence: `${shown} cannot be a key`, hint: "Remove it, or rename it" });
    } else if (Object.hasOwn(data, name)) {
      note(reading, key, { sentence: `Duplicate key \`${name}\``, hint: "Remove one of the two" });
    } else {
      data[name] = toData(reading, value, depth + 1);
    }
  }
  return data;
}

function keyName(reading: Pick<Reading, "aliases">, key: unknown): string | undefined {
  const node = isAlias(key) ? reading.aliases.get(key) : key;
  if (node === null) return "";
  if (!isScalar(node)) return undefined;
  return typeof node.value === "string" ? node.value : (node.source ?? String(node.value));
}

function locate(
  reading: Reading,
  root: ParsedNode | null,
  target: { readonly path: KeyPath; readonly part: "key" | "value" },
): Position {
  let found: unknown = root;
  let node: unknown = root;
  for (const [index, step] of target.path.entries()) {
    const around = isAlias(node) ? reading.aliases.get(node) : node;
    if (isSeq(around)) {
      node = around.items[Number(step)];
      found = node ?? found;
    } else if (isMap(around)) {
      const pair = around.items.find(({ key }) => keyName(reading, key) === step);
      if (pair === undefined) break;
      const wantsKey = target.part === "key" && index === target.path.length - 1;
      node = pair.value;
      found = wantsKey || pair.value === null ? pair.key : pair.value;
    }
  }
  return positionOf(reading.text, found);
}

function positionOf(text: string, node: unknown): Position {
  const range = isMap(node) || isSeq(node) || isScalar(node) || isAlias(node) ? node.range : undefined;
  return positionAt(text, range?.[0] ?? 0);
}

/** One per line: the parser stumbles on over what follows a mistake. */
function syntaxProblems(text: string, faults: readonly YAMLError[]): TextProblem[] {
  const byLine = new Map<number, TextProblem>();
  for (const fault of faults.slice(0, MAX_PROBLEMS)) {
    const position = positionAt(text, fault.pos[0]);
    const known = SYNTAX[fault.code] ?? {
      sentence: `This is not valid YAML: ${fault.message.split("\n")[0]}`,
      hint: "Check quotes, brackets, colons and indentation around this place",
    };
    if (!byLine.has(position.line)) byLine.set(position.line, { ...known, position });
  }
  return [...byLine.values()];
}

// The usual mistakes, in words of our own; for all others the parser's message is good enough.
const SYNTAX: Partial<Record<YAMLError["code"], Omit<TextProblem, "position">>> = {
  TAB_AS_INDENT: { sentence: "A tab is used as indentation", hint: "Indent with spaces" },
  BAD_INDENT: {
    sentence: "The indentation or a closing bracket is wrong",
    hint: "Align keys of one level; close brackets",
  },
  TAG_RESOLVE_FAILED: { sentence: "YAML tags are not supported", hint: "Remove the word that starts with !" },
  BAD_DIRECTIVE: { sentence: "Unknown YAML directive", hint: "Remove the line that starts with %" },
  BLOCK_AS_IMPLICIT_KEY: { sentence: "Two keys are on one line", hint: "Put quotes around text that contains a colon" },
};

/** Data as YAML, for people to read. */
export const writeYaml = (data: unknown): string => stringify(data, { aliasDuplicateObjects: false });
