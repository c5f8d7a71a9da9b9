import { posix } from "node:path";
import { prerequisitesOf, recipeOf, type MakeFile } from "../resolve/make-file.ts";
import { patternOf } from "../resolve/package-manager.ts";
import { readManagerCall } from "../resolve/package-manager-call.ts";
import { readShell, UNKNOWN } from "../resolve/shell.ts";

/** A command that another one leads to. */
export interface Reached {
  /** Without what only starts it, such as `npx` or `uv run`. */
  readonly words: readonly string[];
  /** With it. */
  readonly typed: readonly string[];
  /** Below the top; undefined if only the shell knows. */
  readonly folder: string | undefined;
  /** If it fails, the command that leads to it fails. */
  readonly isCertain: boolean;
  /** 0: the text itself names it; more: it is behind scripts or make targets. */
  readonly depth: number;
  /** It leads to no other in its folder. */
  readonly isLast: boolean;
  /** It runs in packages below, because of another one that is here, too. */
  readonly isBelow?: true;
}

export type Reach = (text: string) => readonly Reached[];

/** What commands of a project's top folder are made of. */
export interface Written {
  readonly scripts: ReadonlyMap<string, string>;
  /** Whether the package manager runs `pretest` before `test`. */
  readonly hasHooks: boolean;
  readonly make: MakeFile | undefined;
  /** The texts of other tasks by how a person starts them: `composer test`, `deno task test`. */
  readonly tasks?: ReadonlyMap<string, string>;
  /** The scripts of packages below the top, by name, each text once. */
  readonly members?: ReadonlyMap<string, ReadonlySet<string>> | undefined;
}

const DEEPEST = 8;

/** Follows commands through scripts of the top package and through the make file there. */
export const createReach = (written: Written): Reach => {
  const known = new Map<string, readonly Reached[]>();
  return (text) => {
    const found = known.get(text) ?? follow(text, { written, folder: "", isCertain: true, depth: 0, seen: new Set() });
    known.set(text, found);
    return found;
  };
};

interface Way {
  readonly written: Written;
  readonly folder: string;
  readonly isCertain: boolean;
  readonly depth: number;
  readonly seen: ReadonlySet<string>;
}

function follow(text: string, way: Way): Reached[] {
  if (way.depth > DEEPEST || way.seen.has(text)) return [];
  const seen = new Set([...way.seen, text]);
  const isCertain = way.isCertain && isPlain(text);
  const all: Reached[] = [];
  for (const { words, folder, isRead } of readShell(text, way.folder)) {
    const at = folder === undefined ? undefined : posix.normalize(folder === "" ? "." : folder).replace(/^\.$/, "");
    const bare = withoutStarter(words);
    const behind = at === "" ? textsBehind(bare, way.written) : [];
    const found: Reached = {
      words: bare,
      typed: words,
      folder: at,
      isCertain: isCertain && !isRead,
      depth: way.depth,
      isLast: behind.length === 0,
    };
    all.push(found);
    if (at !== "") continue;
    const inside = { ...way, isCertain: found.isCertain, depth: way.depth + 1, seen };
    for (const one of behind) all.push(...follow(one, inside));
    const below = { ...inside, isCertain: false, written: NO_SCRIPTS };
    for (const one of textsBelow(bare, way.written)) {
      for (const each of follow(one, below)) all.push({ ...each, folder: undefined, isBelow: true });
    }
  }
  return all;
}

/** Only `&&` between commands: with any other sign the exit code of one of them may not decide. */
const isPlain = (text: string): boolean =>
  !/[;|\n]|(?<!&)&(?!&)/.test(text.trim().replaceAll(/'[^']*'|"(?:\\.|[^"\\])*"/g, ""));

const NO_SCRIPTS: Written = { scripts: new Map(), hasHooks: false, make: undefined };

/** The scripts that a command runs in packages below. */
function textsBelow([program = "", ...args]: readonly string[], { members }: Written): string[] {
  const asked = members === undefined ? undefined : readManagerCall({ program, args });
  if (asked === undefined || (asked.members === undefined && (asked.folder ?? ".") === ".")) return [];
  const names = [...asked.scripts, ...(asked.maybeScript?.slice(0, 1) ?? [])];
  return names.flatMap((name) => Array.from(members?.get(name) ?? []));
}

/** Scripts and recipes that a command runs. */
function textsBehind(words: readonly string[], { scripts, hasHooks, make, tasks }: Written): string[] {
  const [program = "", ...args] = words;
  if (/^g?make$/.test(program)) return make === undefined ? [] : recipesFor(make, args);
  const task = tasks?.get(
    program === "composer" ? `composer ${args.find((word) => !/^(?:-|run)/.test(word))}` : words.join(" "),
  );
  if (task !== undefined) return [task];
  const names = scriptsOf(words, scripts);
  return names.flatMap((name) => {
    const all = hasHooks ? [`pre${name}`, name, `post${name}`] : [name];
    return all.flatMap((script) => scripts.get(script) ?? []);
  });
}

/** The scripts of the top package that a command runs. */
export function scriptsOf(words: readonly string[], scripts: ReadonlyMap<string, string>): readonly string[] {
  const [program = "", ...args] = words;
  const asked = readManagerCall({ program, args });
  if (asked === undefined || asked.members !== undefined || (asked.folder ?? ".") !== ".") return [];
  const maybe = asked.maybeScript?.[0];
  const named = [...asked.scripts, ...(maybe !== undefined && scripts.has(maybe) ? [maybe] : [])];
  return named.flatMap((name) => {
    const pattern = patternOf(name);
    return pattern === undefined ? [name] : [...scripts.keys()].filter((script) => pattern.test(script));
  });
}

/** The recipes of the targets and of all that these need. */
function recipesFor(make: MakeFile, args: readonly string[]): string[] {
  const targets = args.filter((word) => !word.startsWith("-") && !word.includes("="));
  if (args.some((word) => /^-(?:C|f|-directory|-file)/.test(word))) return [];
  const queue = targets.length > 0 ? targets : [defaultTarget(make) ?? ""];
  const seen = new Set<string>();
  // Targets of one rule lead to the same.
  const rules = new Set<string>();
  for (const target of queue) {
    const rule = make.rule[target];
    if (rule === undefined || rules.has(rule)) continue;
    rules.add(rule);
    for (const name of prerequisitesOf(rule).map((each) => withValues(each, make))) {
      if (!seen.has(name)) queue.push(name);
      seen.add(name);
    }
  }
  return [...rules].flatMap((rule) => recipeOf(rule).map((line) => withValues(line, make)));
}

/** The first target that is neither special nor a pattern. */
export const defaultTarget = ({ rule, variable }: MakeFile): string | undefined =>
  /=\s*(\S+)\s*$/.exec(variable[".DEFAULT_GOAL"] ?? "")?.[1] ??
  Object.keys(rule).find((name) => !/^\.|[%$]/.test(name));

/** A text of a make file with the variables that have one plain value. */
function withValues(text: string, { variable }: Pick<MakeFile, "variable">, depth = 0): string {
  return text.replaceAll(/\$(?:\$|[({]([A-Za-z0-9_.-]+)[)}])/g, (all, name?: string) => {
    if (all === "$$") return "$";
    if (name === "MAKE") return "make";
    const value = /^[^=]*=\s*([^\n\u0002]*)$/.exec(name === undefined ? "" : (variable[name] ?? ""))?.[1]?.trim();
    return value === undefined || depth > 4 ? UNKNOWN : withValues(value, { variable }, depth + 1);
  });
}

/** Programs that only start another one, with the flags of theirs that take a value. */
const STARTERS: readonly (readonly [call: RegExp, valued?: RegExp])[] = [
  [/^(?:npx|pnpx|bunx)$/, /^(?:-p|--package)$/],
  [/^(?:pnpm|yarn|npm|bun) (?:exec|x|dlx)$/],
  [
    /^uv run$/,
    /^(?:--with|--group|--extra|--python|-p|--package|--with-requirements|--project|--directory|--env-file)$/,
  ],
  [/^uvx$/, /^(?:--from|--with|--python|-p)$/],
  [/^(?:poetry|pdm|pipenv|rye|pixi) run$/],
  [/^bundle exec$/],
  [/^hatch run$/],
  [/^coverage run$/, /^(?:--source|--rcfile|--data-file|--omit|--include|-p)$/],
  [/^python3?(?:\.\d+)? -m$/],
  [/^(?:cross-env|cross-env-shell|env|dotenv|time|nice|xvfb-run|sudo|command)$/, /^-[en]$/],
  [/^(?:c8|nyc)$/, /^(?:-[xnr]|--(?:exclude|include|reporter|temp-dir|report-dir))$/],
];

/** The command that is really started. */
export function withoutStarter(words: readonly string[]): readonly string[] {
  let rest = words.map((word, index) =>
    index === 0 ? word.replace(/^(?:\.?\/?(?:node_modules\/\.bin|vendor\/bin|\.?venv\/bin)\/)/, "") : word,
  );
  for (;;) {
    const starter = STARTERS.map(([call, valued]) => ({
      length: [1, 2].find((n) => call.test(rest.slice(0, n).join(" "))),
      valued,
    }));
    const found = starter.find(({ length }) => length !== undefined);
    if (found?.length === undefined || rest.length <= found.length) return rest;
    let at = found.length;
    while (at < rest.length && /^-|^[A-Za-z_]\w*=/.test(rest[at]!))
      at += found.valued?.test(rest[at]!) === true ? 2 : 1;
    // `hatch run test:cov` starts a script, and flags may be all there is.
    if (at >= rest.length || (rest[at] === "--" && at + 1 >= rest.length)) return rest;
    rest = rest.slice(rest[at] === "--" ? at + 1 : at);
  }
}
