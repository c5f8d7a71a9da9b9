import { UNKNOWN } from "../resolve/shell.ts";
import { type Reached, scriptsOf } from "./reach.ts";

/** Programs whose first word says what they do. */
const WITH_VERB =
  /^(?:cargo|go|mix|dotnet|deno|ruff|biome|composer|swift|zig|bundle|rake|nx|turbo|lerna|hatch|nox|tox|make|just|task|pre-commit|golangci-lint|next|ng|astro|svelte-kit|playwright|cypress|changeset|phpstan|php-cs-fixer|pint|rails|uv|poetry|bun|npm|pnpm|yarn|buf|terraform|cmake|sh|bash|node|python|python3|php|ruby|perl)$/;

/** Two commands with the same name check the same thing, perhaps with other flags: a script, or a program with its verb. */
export function checkName(
  { words, folder }: Pick<Reached, "words" | "folder">,
  scripts: ReadonlyMap<string, string>,
): string {
  const [path = "", ...args] = words;
  const program = path.slice(path.lastIndexOf("/") + 1);
  const at = folder === "" ? "" : `${folder ?? "?"}: `;
  const [script] = scriptsOf(words, scripts);
  if (script !== undefined) return `${at}script ${script}`;
  // They run the same tasks, in all packages or in those that changed.
  if (program === "nx" && /^(?:run-many|affected)$/.test(args[0] ?? "")) return `${at}nx`;
  const verb = WITH_VERB.test(program) ? args.find((word) => !/^[-+]/.test(word)) : undefined;
  return `${at}${program}${verb === undefined ? "" : ` ${verb}`}`;
}

/** Flags of cargo that let it check less. */
const NARROWER =
  /^(?:-p|--package|--exclude|--lib|--bins?|--tests?|--examples?|--doc|--no-run|--no-default-features|--manifest-path)$/;

/** Whether a command does all that another does: the same words, with any flags that take nothing away. */
export function doesAll(doer: Reached, wanted: Reached): boolean {
  if (!doer.isCertain) return false;
  const [tasks, others] = [tasksOf(doer), tasksOf(wanted)];
  if (tasks !== undefined && others !== undefined) {
    return (
      tasks.program === others.program && isWithin(others.names, tasks.names) && isWithin(tasks.flags, others.flags)
    );
  }
  if (!isSameCall(doer, wanted)) return false;
  const flags = new Set(doer.words.map(asWorkspace));
  const isWide = wanted.words.map(asWorkspace).every((word) => flags.has(word) || !word.startsWith("-"));
  const isNarrow = doer.words[0] === "cargo" && doer.words.some((word) => NARROWER.test(word.split("=")[0]!));
  return isWide && !isNarrow;
}

interface Tasks {
  readonly program: string;
  readonly names: readonly string[];
  /** They may leave packages out. */
  readonly flags: readonly string[];
}

/** The tasks that nx or turbo runs in packages. */
function tasksOf({ words, folder }: Reached): Tasks | undefined {
  if (folder !== "") return undefined;
  const at = words.findIndex((word) => word === "turbo" || word === "nx");
  const isStarted = words.slice(0, at).every((word) => /^(?:yarn|pnpm|bun|run)$/.test(word));
  const [program = "", verb, ...args] = isStarted ? words.slice(at) : words;
  if (program === "turbo" && verb === "run") {
    const [names, flags] = [args.filter((word) => !word.startsWith("-")), args.filter((word) => word.startsWith("-"))];
    return { program, names, flags };
  }
  if (program !== "nx" || verb !== "run-many") return undefined;
  const targets = /(?:^| )(?:-t|--targets?)[= ]([\w:,.-]+(?: (?!-)[\w:,.-]+)*)/.exec(args.join(" "))?.[1];
  const flags = args.filter((word) => word.startsWith("-") && !/^(?:-t|--targets?)(?:=|$)/.test(word));
  return targets === undefined ? undefined : { program, names: targets.split(/[ ,]/), flags };
}

const isWithin = (some: readonly string[], all: readonly string[]): boolean => some.every((one) => all.includes(one));

/** The same words, but for flags. */
export const isSameCall = (one: Reached, other: Reached): boolean =>
  one.folder === other.folder &&
  !one.words.some((word) => word.includes(UNKNOWN)) &&
  plain(one.words).join(" ") === plain(other.words).join(" ");

const asWorkspace = (word: string): string => (word === "--all" ? "--workspace" : word);

/** Without flags, and with one spelling for what has several: `npm test` is `npm run test`. */
function plain(words: readonly string[]): readonly string[] {
  const bare = words.filter((word, index) => index === 0 || !word.startsWith("-"));
  const [program = "", first, ...rest] = bare;
  const isManager = /^(?:npm|pnpm|yarn|bun)$/.test(program);
  return isManager && (first === "run" || first === "run-script") ? [program, ...rest] : bare;
}
