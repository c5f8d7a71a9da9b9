import { keptGates, type PinnedGate } from "../../domain/gate.ts";
import { UNKNOWN } from "../resolve/shell.ts";
import type { Project } from "../source.ts";
import type { Reached } from "./reach.ts";
import { checkName, isSameCall } from "./same-check.ts";
import { firstFault } from "./scripts.ts";
import { watchingWord, writingWord } from "./tool-flags.ts";

/** A command of CI that no gate covers. */
export interface CiCommand {
  /** As a person would type it in the top folder. */
  readonly run: string;
  readonly at: string;
}

/** Programs that check something, besides scripts and make targets. */
const CHECKERS =
  /^(?:eslint|tsc|vue-tsc|prettier|biome|oxlint|oxfmt|vitest|jest|mocha|ava|tap|playwright|cypress|karma|knip|publint|attw|tsd|svelte-check|stylelint|size-limit|pytest|mypy|pyright|basedpyright|ruff|black|isort|flake8|pylint|bandit|tox|nox|hatch|pre-commit|codespell|typos|cargo|go|golangci-lint|staticcheck|govulncheck|gofmt|mvn|mvnw|gradle|gradlew|mix|composer|phpunit|pest|phpstan|psalm|php-cs-fixer|pint|rubocop|rspec|rake|rails|dotnet|deno|zig|swift|swiftlint|ctest|bats|shellcheck|hadolint|actionlint|yamllint|markdownlint|buf|helm|terraform|just|task|make|nx|turbo|lerna)$/;
const SCRIPT_FILE = /^\.?\/?(?:[\w.-]+\/)+[\w.-]+$|\.(?:sh|bash)$/;
/** What prepares, reports or publishes. */
const NO_CHECK =
  /^(?:cargo (?:install|fetch|update|login|publish|binstall|llvm-cov|version|generate-lockfile|metadata)|go (?:install|get|mod download|version|env|tool|run|build)|mix (?:deps\S*|local\S*|hex\S*|archive\S*|ecto\S*|compile$|do$|clean|assets\S*)|composer (?:install|update|require|config|global|remove|self-update|show)|dotnet (?:restore|build|pack|publish|nuget|tool|workload)|deno (?:install|cache|coverage|publish|upgrade)|mvn (?:deploy|install)|gradlew? (?:publish|assemble)|swift (?:build|package)|zig version|playwright install|cypress install|rails db|rake db|hatch env|pre-commit install|make (?:-j\S*\s*)?(?:install|deps|setup|bootstrap|clean|all$|$)|just (?:install|setup)|nx reset|turbo prune|ctest --version)/;
const NO_CHECK_SCRIPT =
  /(?:^|[:-])(?:release|publish|deploy|version|changeset|install|prepare|setup|start|dev|serve|preview|clean|bump|coverage-report|codecov|upload|bench|benchmark|docs?)(?:$|[:-])|^(?:ci-publish|postinstall)$/;

const NO_CHECK_FILE =
  /install|setup|prepare|build|deploy|publish|release|coverage|upload|download|docs?\b|rails|cache|clean|env/;

/** The commands of CI that check something and that no gate leads to, each once. */
export function uncoveredCommands(
  { ci, reach }: Pick<Project, "ci" | "reach">,
  gates: readonly PinnedGate[],
  scripts: ReadonlyMap<string, string>,
): CiCommand[] {
  const done = keptGates(gates).flatMap(({ run }) => reach(run));
  const others = gates.flatMap(({ run }) => reach(run).filter(({ depth }) => depth === 0));
  const covered = new Set([...done, ...others].map((command) => checkName(command, scripts)));
  const found = new Map<string, CiCommand>();
  for (const { command, at } of commandsOf({ ci, reach })) {
    const name = checkName(command, scripts);
    const behind = reach(command.words.join(" ")).slice(1);
    // A script whose commands are all covered is covered, too.
    const isDone = behind.length > 0 && behind.every((one) => done.some((other) => isSameCall(other, one)));
    if (covered.has(name) || isDone || found.has(name) || !isCheck(command, name) || firstFault(behind) !== undefined)
      continue;
    found.set(name, { run: shown(command), at });
  }
  return [...found.values()];
}

/** The commands that CI itself names, each with the folder in which it runs. */
const commandsOf = ({ ci, reach }: Pick<Project, "ci" | "reach">) =>
  ci.flatMap(({ at, steps }) =>
    steps.flatMap(({ text, folder }) =>
      reach(text)
        .filter(({ depth }) => depth === 0)
        .map((command): { readonly command: Reached; readonly at: string } => {
          const inside = below(folder === "." ? "" : folder, command.folder);
          return { command: Object.assign({}, command, { folder: inside }), at };
        }),
    ),
  );

const below = (folder: string, inside: string | undefined): string | undefined =>
  inside === undefined ? undefined : folder === "" ? inside : inside === "" ? folder : `${folder}/${inside}`;

function isCheck({ words, folder }: Reached, name: string): boolean {
  if (folder === undefined || words.some((word) => word.includes(UNKNOWN)) || words.length === 0) return false;
  if (writingWord(words) !== undefined || watchingWord(words) !== undefined) return false;
  const bare = name.slice(name.lastIndexOf(": ") + 1).trim();
  if (bare.startsWith("script ")) return !NO_CHECK_SCRIPT.test(bare.slice("script ".length));
  const [path = ""] = words;
  const program = path.slice(path.lastIndexOf("/") + 1);
  // Neither a toolchain (`cargo +nightly`) nor variables of make say what is done.
  const args = words.slice(1).filter((word) => !/^\+|^[A-Z_]+=/.test(word));
  if (NO_CHECK.test(`${program} ${args.join(" ")}`) || /^(?:-?-?version|-?-?help|-[vVh])$/.test(args.join(" ")))
    return false;
  if (/^(?:make|just|task|rake|composer)$/.test(program)) return !NO_CHECK_SCRIPT.test(args[0] ?? "");
  const starts = /^(?:sh|bash|node|python3?|php|ruby)$/.test(program) ? words[1] : path;
  const isFile = SCRIPT_FILE.test(starts ?? "") && starts?.startsWith("/") === false;
  return CHECKERS.test(program) || (isFile && !NO_CHECK_FILE.test(starts.slice(starts.lastIndexOf("/") + 1)));
}

const shown = ({ typed: words, folder }: Reached): string =>
  `${folder === "" ? "" : `cd ${folder} && `}${words.map((word) => (/^[\w@%+=:,./^~-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)).join(" ")}`;
