import { append } from "../../domain/append.ts";
import type { Call } from "./walk.ts";

/** What a package manager is asked for. */
export interface ManagerCall {
  /** Where, as `--prefix` says. */
  readonly folder?: string | undefined;
  /** Which packages of a workspace; undefined: the one of the folder. */
  readonly members?: Members | undefined;
  readonly scripts: readonly string[];
  /** A script if there is one of this name, else a program. */
  readonly maybeScript?: readonly string[] | undefined;
  /** A program to start. */
  readonly words?: readonly string[] | undefined;
  /** It runs the scripts of an installation. */
  readonly isInstall?: boolean | undefined;
  /** Shell texts to run. */
  readonly texts: readonly string[];
}

/** Names or folders of packages; `all`: every one. */
export type Members = "all" | readonly string[];

const FOLDER_FLAG = /^(?:--prefix|-C|--dir|--cwd)$/;
const MEMBER_FLAG = /^(?:-w|--workspace|--filter|-F|--scope|--projects?)$/;
const ALL_FLAG = /^(?:-ws|--workspaces|-r|--recursive|-A|--all)$/;
/** Flags with a value that says nothing here. */
const VALUE_FLAG =
  /^(?:--loglevel|--reporter|--package|-p|--script-shell|--concurrency|-c|--max-parallel|-n|--names|--parallel-count)$/;

interface Split {
  readonly plain: readonly string[];
  readonly folder: string | undefined;
  readonly members: Members | undefined;
}

/** Flags apart from words. After the second word all belong to what is started. */
function split(args: readonly string[], { isRunner = false } = {}): Split {
  const plain: string[] = [];
  let folder: string | undefined;
  let members: Members | undefined;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at]!;
    if (word === "--") {
      append(plain, args.slice(at + 1));
      break;
    }
    if (!word.startsWith("-")) {
      plain.push(word);
      if (isRunner) {
        append(plain, args.slice(at + 1));
        break;
      }
      continue;
    }
    const [flag = "", joined] = word.split(/=(.*)/s, 2);
    const takes = FOLDER_FLAG.test(flag) || MEMBER_FLAG.test(flag) || VALUE_FLAG.test(flag);
    const value = joined ?? (takes ? args[++at] : undefined) ?? "";
    if (FOLDER_FLAG.test(flag)) folder = value;
    else if (ALL_FLAG.test(flag)) members ??= "all";
    else if (MEMBER_FLAG.test(flag)) members = [...(Array.isArray(members) ? (members as string[]) : []), value];
  }
  return { plain, folder, members };
}

const EMPTY = { scripts: [], texts: [] };

/** Undefined if the program is none of these. */
export function readManagerCall({ program, args }: Pick<Call, "program" | "args">): ManagerCall | undefined {
  if (/^(?:npm|pnpm|yarn|bun)$/.test(program)) return readManager(program, args);
  if (/^(?:npx|pnpx|bunx)$/.test(program)) return { ...EMPTY, words: split(args, { isRunner: true }).plain };
  if (/^(?:run-[sp]|npm-run-all2?)$/.test(program)) return { ...EMPTY, scripts: split(args).plain };
  if (/^(?:concurrently|conc)$/.test(program)) {
    const { plain } = split(args);
    const scripts = plain.flatMap((word) => /^(?:npm|pnpm|yarn|bun|node):(.+)$/.exec(word)?.[1] ?? []);
    return { scripts, texts: plain.filter((word) => !/^(?:npm|pnpm|yarn|bun|node):/.test(word)) };
  }
  if (program === "node" && args[0] === "--run") return { ...EMPTY, scripts: args.slice(1, 2) };
  if (/^(?:turbo|lerna|nx|wsrun|ultra)$/.test(program)) return readEachPackage(program, args);
  if (program === "corepack") return readManagerCall({ program: args[0] ?? "", args: args.slice(1) });
  return undefined;
}

/** Programs that run a script of the same name in each package: `turbo run test`, `nx run-many -t test`, `nx test api`. */
function readEachPackage(program: string, args: readonly string[]): ManagerCall {
  const targets = args.flatMap((word, at) => {
    if (/^(?:-t|--targets?)$/.test(word)) return (args[at + 1] ?? "").split(",");
    return /^--targets?=(.*)$/.exec(word)?.[1]?.split(",") ?? [];
  });
  const { plain } = split(args);
  const named = plain[0] === "run" || plain[0] === "run-many" || plain[0] === "affected" ? plain.slice(1) : plain;
  const scripts =
    targets.length > 0 ? targets : named.map((word) => word.split(/[#:]/).at(program === "nx" ? 1 : -1) ?? word);
  return { scripts: scripts.filter((name) => name !== ""), texts: [], members: "all" };
}

const RUN = /^(?:run|run-script|rum|urn)$/;
const EXEC = /^(?:exec|x|dlx)$/;
/** Words of the managers themselves, after which nothing of the project is started but what installation starts. */
const OWN =
  /^(?:i|in|ci|install|add|update|up|upgrade|remove|rm|link|pack|publish|audit|why|ls|list|outdated|dedupe|version|config|set|init|create|prune|rebuild|store|cache|--version)$/;

function readManager(program: string, args: readonly string[]): ManagerCall {
  const { plain, folder, members } = split(args);
  const [word = "", second = "", ...rest] = plain;
  const at = { folder, members };
  if (program === "yarn" && word === "workspace") {
    return { ...readManager(program, [...rest]), ...at, members: [second] };
  }
  if (program === "yarn" && word === "workspaces") {
    return { ...readManager(program, second === "foreach" ? rest : plain.slice(1)), ...at, members: "all" };
  }
  if (RUN.test(word))
    return program === "bun"
      ? { ...at, ...EMPTY, maybeScript: plain.slice(1) }
      : { ...at, texts: [], scripts: [second] };
  if (EXEC.test(word)) return { ...at, ...EMPTY, words: plain.slice(1) };
  if (program !== "bun" && /^(?:test|t|tst)$/.test(word)) return { ...at, texts: [], scripts: ["test"] };
  if (program === "npm" && /^(?:start|stop|restart)$/.test(word)) return { ...at, texts: [], scripts: [word] };
  if (/^(?:i|in|ci|install|)$/.test(word)) return { ...at, ...EMPTY, isInstall: true };
  const isOwn = program === "npm" || OWN.test(word) || word === "" || (program === "bun" && word === "test");
  return isOwn ? { ...at, ...EMPTY } : { ...at, ...EMPTY, maybeScript: plain };
}
