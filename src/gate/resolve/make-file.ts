import { append } from "../../domain/append.ts";
import { isMapping, type Mapping } from "../../domain/mapping.ts";

/** The parts of a make file. Texts are as written, so that any change of them is a change. */
export interface MakeFile extends Readonly<Record<string, unknown>> {
  /** Rules by target, each with its prerequisites and its recipe. Pattern rules are under their pattern. */
  readonly rule: Readonly<Record<string, string>>;
  /** All assignments of a variable. */
  readonly variable: Readonly<Record<string, string>>;
  readonly include: readonly string[];
  /** The names of variables that every command gets, and what is said of them. */
  readonly exports: readonly string[];
  readonly exported?: string;
}

const ASSIGNMENT =
  /^(?:(?:export|override|private|unexport)\s+)*(?:define\s+)?([A-Za-z0-9_.%-]+)\s*(?::{0,3}|\?|\+|!)=\s*(.*)$/s;
const DEFINE = /^(?:(?:export|override)\s+)*define\s+(\S+)/;
/** Calls of templates, which are work more often than proof. */
const TEMPLATES = "$(call)";
const ASSIGNS = /=|\(shell\b/;
/** `$(foreach …): base` is a rule. */
const MAKES_RULE = /[)}]\s*::?(?!=)/;
/** A line that make replaces by other lines. */
const MAKES_LINES = /^\$[({](?:eval|call|foreach|if|shell)\b/;
/** Stands for the name of a variable that all such lines would assign. */
export const LINES = "$(eval)";
/** Stands for the settings of just: `set shell := […]`. */
export const SETTINGS = "$(set)";
const SETTING = /^set\s+[\w-]+\s*(?::=|$)/;
/** Without a name it is about all variables. */
const EXPORT = /^(?:(?:override|private)\s+)*(?:un)?export\b(?!\s*:?[:=])/;
/** Between the conditions of a line and the line. */
const SPLIT = "\u0002";
const CONDITION = /^(?:ifn?eq|ifn?def|else|endif)\b/;
/** Lines inside of more or longer conditions are one part, as if make made them. */
const MOST_NESTED = 100;
const LONGEST_CONDITION = 10_000;
/** So are lines of rules with several targets beyond this: each target has them all. */
const MOST_COPIES = 10_000;
const isDeep = (conditions: readonly string[]): boolean =>
  conditions.length > MOST_NESTED || conditions.some(({ length }) => length > LONGEST_CONDITION);

/**
 * Reads a make file. Lines inside a condition carry the condition, so that moving a rule into one is a change, too.
 * What `$(eval …)` would make is not known: such lines are one part.
 */
export function readMakeFile(text: string): MakeFile {
  const rule: Record<string, string> = Object.create(null) as Record<string, string>;
  const variable: Record<string, string> = Object.create(null) as Record<string, string>;
  const include: string[] = [];
  let targets: readonly string[] = [];
  const exporting: string[] = [];
  const conditions: string[] = [];
  let defined: string | undefined;
  const add = (where: Record<string, string>, called: string, line: string): void => {
    const [to, name, around] = isDeep(conditions) ? [variable, LINES, []] : [where, called, conditions];
    // The same text in many rules is one in memory.
    const shown = around.length === 0 ? line : [...around, line].join(SPLIT);
    to[name] = to[name] === undefined ? shown : `${to[name]}\n${shown}`;
  };
  const enter = (line: string): void => {
    nest(conditions, line);
    if (isDeep(conditions)) add(variable, LINES, line);
  };
  let copies = 0;
  const addTo = (names: readonly string[], line: string): readonly string[] => {
    copies += names.length - 1;
    if (names.length > 1 && copies > MOST_COPIES) add(variable, LINES, line);
    else for (const target of names) add(rule, target, line);
    return names;
  };
  for (const line of text
    .replaceAll("\r\n", "\n")
    .replaceAll(/\\\n[ \t]*/g, " ")
    .split("\n")) {
    if (defined !== undefined) {
      if (/^\s*endef\b/.test(line)) defined = undefined;
      else add(variable, defined, line);
    } else if (line.startsWith("\t") && targets.length > 0) {
      addTo(targets, line.trimEnd());
    } else {
      const bare = line.replace(/(?<!\\)#.*/, "").trim();
      if (bare === "") continue;
      if (EXPORT.test(bare)) exporting.push(bare);
      if (CONDITION.test(bare)) enter(bare);
      else if (DEFINE.test(bare)) {
        defined = DEFINE.exec(bare)![1]!;
        add(variable, defined, bare);
      } else if (/^(?:[-s]?include|import\??)\s/.test(bare)) append(include, wordsOf(bare).slice(1));
      else if (ASSIGNMENT.test(bare) && !/^[^=]*:[^:=]/.test(bare)) {
        const [, name = ""] = ASSIGNMENT.exec(bare)!;
        add(variable, name, bare);
        targets = [];
      } else if (MAKES_LINES.test(bare) && !MAKES_RULE.test(bare)) {
        add(variable, ASSIGNS.test(bare) ? LINES : TEMPLATES, bare);
        targets = [];
      } else if (SETTING.test(bare)) {
        add(variable, SETTINGS, bare);
        targets = [];
      } else targets = addTo(targetsOf(bare), bare);
    }
  }
  return { rule, variable, include: [...new Set(include)], ...exportsOf(exporting, variable) };
}

/** What lines that begin with `export` or `unexport` say, with the values of the variables that they name. */
function exportsOf(lines: readonly string[], variable: MakeFile["variable"]): Pick<MakeFile, "exports" | "exported"> {
  if (lines.length === 0) return { exports: [] };
  const named = lines.flatMap((line) => {
    const assigned = (DEFINE.exec(line) ?? ASSIGNMENT.exec(line))?.[1];
    const names = assigned === undefined ? line.replace(EXPORT, "").split(/\s+/).filter(Boolean) : [assigned];
    return names.length > 0 ? names : Object.keys(variable);
  });
  const exports = [...new Set(named)].sort();
  return { exports, exported: [...lines, ...exports.map((name) => `${name}: ${variable[name] ?? ""}`)].join("\n") };
}

function nest(conditions: string[], line: string): void {
  const outer = line.startsWith("endif") || line.startsWith("else") ? conditions.pop() : undefined;
  if (line.startsWith("else")) conditions.push(`${outer ?? ""} ${line}`);
  else if (!line.startsWith("endif")) conditions.push(line);
}

/** Words of a make file; a function is one: `$(wildcard *.mk)`. */
const wordsOf = (line: string): string[] =>
  line
    .match(/(?:\$\((?:[^()]|\([^()]*\))*\)|\$\{[^}]*\}|[^\s])+/g)
    ?.map((word) => word.replaceAll(/^["']|["']$/g, "")) ?? [];

/** `a b: c` and `a b &: c`; also `a: X = y`. */
const targetsOf = (line: string): string[] => {
  const before = /^([^:=]+)::?(?!=)/.exec(line)?.[1]?.replace(/&$/, "") ?? "";
  return [...new Set(before.split(/\s+/).filter((name) => name !== ""))];
};

const plainLines = (rule: string): string[] => rule.split("\n").map((line) => line.split(SPLIT).at(-1)!);

/** What stands behind the colons of a rule's lines: its prerequisites. */
export const prerequisitesOf = (rule: string): string[] =>
  plainLines(rule)
    .filter((line) => !line.startsWith("\t"))
    .map((line) => /^[^:]+::?\s*(.*)$/.exec(line)?.[1] ?? "")
    .filter((after) => !ASSIGNMENT.test(after))
    .flatMap((after) => after.split(";")[0]!.split(/\s+/))
    .filter((name) => name !== "" && name !== "|");

/**
 * Whether `.PHONY` still has all names, inside of the same conditions, but for those whose rules are gone. One more only
 * lets make run one more recipe.
 */
export function keepsPhony(before: Mapping, after: Mapping): boolean {
  const [old, now] = [before, after].map((file) => rulesIn(file));
  const kept = new Set(phoniesIn(now![".PHONY"]));
  return phoniesIn(old![".PHONY"]).every((name) => {
    const target = name.split(SPLIT).at(-1)!;
    return kept.has(name) || (old![target] !== undefined && now![target] === undefined);
  });
}

const rulesIn = ({ rule }: Mapping): Mapping => (isMapping(rule) ? rule : {});

/** Each with the conditions around its line. */
const phoniesIn = (rule: unknown): string[] =>
  (typeof rule === "string" ? rule.split("\n") : []).flatMap((line) => {
    const around = line.split(SPLIT).slice(0, -1);
    return prerequisitesOf(line).map((name) => [...around, name].join(SPLIT));
  });

/** The lines that a rule gives to the shell. */
export const recipeOf = (rule: string): string[] =>
  plainLines(rule).flatMap((line) => {
    if (line.startsWith("\t")) return [line.trim().replace(/^[@+-]+/, "")];
    const after = /^[^:=]+::?[^;=]*;(.*)$/.exec(line)?.[1];
    return after === undefined ? [] : [after.trim()];
  });

/** The value of a variable that is assigned once and plainly. */
export const plainValue = (assigned: string | undefined): string | undefined =>
  assigned === undefined || /[\n\u0002]/.test(assigned) ? undefined : ASSIGNMENT.exec(assigned)?.[2]?.trim();

/** Names of variables in a text, as in `$(NAME)` and `${NAME:a=b}`, and of those that functions call. */
export const namesIn = (text: string): string[] =>
  [...text.matchAll(/\$(?:[({]\s*(?:(?:call|origin|value|flavor)\s+)?([A-Za-z0-9_.%-]+)|([A-Za-z0-9_]))/g)].map(
    ([, long, short]) => long ?? short ?? "",
  );
