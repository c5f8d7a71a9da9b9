/** How a tool behaves that changes files or goes on for ever. */
interface ToolFlags {
  /** The words with which a call begins. */
  readonly call: string;
  /** With one of these it changes the files that it checks. */
  readonly writes?: RegExp;
  /** It changes files unless it has one of these. */
  readonly writesUnless?: RegExp;
  /** Added to a call, once flags that write are gone, to make it a check; absent: nothing is needed. */
  readonly check?: string;
}

/** A new tool is one line here. Longer calls come before the shorter ones of the same program. */
const TOOLS: readonly ToolFlags[] = [
  { call: "biome", writes: /^--(?:write|fix|apply|apply-unsafe|unsafe)$/ },
  { call: "rome", writes: /^--(?:write|apply|apply-unsafe)$/ },
  { call: "eslint", writes: /^--fix$/ },
  { call: "oxlint", writes: /^--fix(?:-suggestions|-dangerously)?$/ },
  { call: "oxfmt", writes: /^--write$/, writesUnless: /^(?:--check|--list-different)$/, check: "--check" },
  { call: "stylelint", writes: /^--fix$/ },
  { call: "tslint", writes: /^--fix$/ },
  { call: "standard", writes: /^--fix$/ },
  { call: "ts-standard", writes: /^--fix$/ },
  { call: "xo", writes: /^--fix$/ },
  { call: "semistandard", writes: /^--fix$/ },
  { call: "markdownlint", writes: /^(?:--fix|-f)$/ },
  { call: "markdownlint-cli2", writes: /^--fix$/ },
  { call: "prettier", writes: /^(?:--write|-w)$/, check: "--check" },
  { call: "next lint", writes: /^--fix$/ },
  { call: "ng lint", writes: /^--fix$/ },
  { call: "vue-cli-service lint", writesUnless: /^--no-fix$/, check: "--no-fix" },
  { call: "sort-package-json", writesUnless: /^--check$/, check: "--check" },
  { call: "syncpack fix-mismatches", writesUnless: /^never$/ },
  { call: "syncpack format", writesUnless: /^never$/ },
  { call: "dprint fmt", writesUnless: /^never$/ },
  { call: "vitest", writes: /^(?:-u|--update)$/ },
  { call: "jest", writes: /^(?:-u|--updateSnapshot)$/ },
  { call: "react-scripts test", writes: /^(?:-u|--updateSnapshot)$/ },
  { call: "ava", writes: /^(?:-u|--update-snapshots)$/ },
  { call: "playwright test", writes: /^(?:-u|--update-snapshots)$/ },
  { call: "cargo fmt", writesUnless: /^--check$/, check: "--check" },
  { call: "cargo fix", writesUnless: /^never$/ },
  { call: "cargo clippy", writes: /^(?:--fix|--allow-dirty|--allow-staged)$/ },
  { call: "rustfmt", writesUnless: /^--check$/, check: "--check" },
  { call: "go fmt", writesUnless: /^never$/ },
  { call: "go fix", writesUnless: /^never$/ },
  { call: "go generate", writesUnless: /^never$/ },
  { call: "go mod tidy", writesUnless: /^-diff$/, check: "-diff" },
  { call: "gofmt", writes: /^-\w*w\w*$/ },
  { call: "gofumpt", writes: /^-\w*w\w*$/ },
  { call: "goimports", writes: /^-\w*w\w*$/ },
  { call: "golangci-lint", writes: /^--fix$/ },
  { call: "golangci-lint fmt", writesUnless: /^(?:-d|--diff)$/, check: "--diff" },
  { call: "shfmt", writes: /^-w$/, check: "-d" },
  { call: "ruff format", writesUnless: /^(?:--check|--diff)$/, check: "--check" },
  { call: "ruff", writes: /^(?:--fix|--unsafe-fixes)$/ },
  { call: "black", writesUnless: /^(?:--check|--diff)$/, check: "--check" },
  { call: "isort", writesUnless: /^(?:--check|--check-only|-c|--diff)$/, check: "--check" },
  { call: "autoflake", writes: /^(?:-i|--in-place)$/ },
  { call: "autopep8", writes: /^(?:-i|--in-place)$/ },
  { call: "pyupgrade", writesUnless: /^never$/ },
  { call: "djlint", writes: /^--reformat$/ },
  { call: "mix format", writesUnless: /^--check-formatted$/, check: "--check-formatted" },
  { call: "php-cs-fixer fix", writesUnless: /^--dry-run$/, check: "--dry-run --diff" },
  { call: "phpcbf", writesUnless: /^never$/ },
  { call: "pint", writesUnless: /^--test$/, check: "--test" },
  { call: "ecs", writes: /^--fix$/ },
  { call: "rector", writesUnless: /^(?:--dry-run|-n)$/, check: "--dry-run" },
  { call: "rubocop", writes: /^(?:-[aAx]|--auto-correct\S*|--autocorrect\S*|--fix-layout)$/ },
  { call: "standardrb", writes: /^--fix$/ },
  { call: "dotnet format", writesUnless: /^--verify-no-changes$/, check: "--verify-no-changes" },
  { call: "deno fmt", writesUnless: /^--check$/, check: "--check" },
  { call: "deno lint", writes: /^--fix$/ },
  { call: "zig fmt", writesUnless: /^--check$/, check: "--check" },
  { call: "swift-format", writes: /^(?:-i|--in-place)$/ },
  { call: "swiftformat", writesUnless: /^(?:--lint|--dryrun)$/, check: "--lint" },
  { call: "swiftlint", writes: /^(?:--fix|--autocorrect)$/ },
  { call: "clang-format", writes: /^-i$/, check: "--dry-run --Werror" },
  { call: "ktlint", writes: /^(?:-F|--format)$/ },
  { call: "spotlessApply", writesUnless: /^never$/ },
  { call: "taplo fmt", writesUnless: /^--check$/, check: "--check" },
  { call: "terraform fmt", writesUnless: /^-check$/, check: "-check" },
  { call: "buf format", writes: /^(?:-w|--write)$/ },
  { call: "sed", writes: /^-i/ },
];

const toolOf = (words: readonly string[]): ToolFlags | undefined => {
  const call = words.join(" ");
  const fitting = TOOLS.filter((tool) => call === tool.call || call.startsWith(`${tool.call} `));
  return fitting.sort((a, b) => b.call.length - a.call.length)[0];
};

/** A flag that says in most tools that they write. */
const USUAL = /^--(?:write|fix|update|update-?snapshots?)$/i;

/** The word by which a command changes files of the project; the call itself if it needs none. Undefined: it changes none. */
export function writingWord(words: readonly string[]): string | undefined {
  const tool = toolOf(words);
  const flags = words.slice(1);
  const flag = flags.find((word) => tool?.writes?.test(word) ?? USUAL.test(word));
  if (flag !== undefined) return flag;
  const { writesUnless } = tool ?? {};
  return writesUnless !== undefined && !flags.some((word) => writesUnless.test(word)) ? tool?.call : undefined;
}

/** The same command as a check; undefined if that is not certain. `text`: as it is written, one command. */
export function asCheck(text: string, words: readonly string[]): string | undefined {
  const tool = toolOf(words);
  if (tool === undefined || tool.writesUnless?.source === "^never$") return undefined;
  const bare = text.replaceAll(/(?<=\s)-\S+/g, (flag) => (tool.writes?.test(flag) === true ? "\0" : flag));
  const checked = bare.replaceAll(/\s*\0/g, "").trim();
  if (tool.check === undefined || checked.split(/\s+/).some((word) => tool.check?.split(" ")[0] === word))
    return checked;
  // In front of a name: `prettier --check .`
  return checked.replace(tool.call, `${tool.call} ${tool.check}`);
}

/** Commands that check only files which git says are changed or staged: on a commit, that is nothing. */
const CHANGED: readonly (readonly [call: RegExp, flag: RegExp | undefined])[] = [
  [/^nx affected(?: |$)/, undefined],
  [/^(?:lint-staged|nano-staged|pretty-quick)(?: |$)/, undefined],
  [/^(?:turbo|nx|rush)(?: |$)/, /^--affected$/],
  [/^(?:turbo|pnpm)(?: |$)/, /^(?:--filter=|-F=?)?\S*\[[^\]]+\]$/],
  [/^(?:lerna|turbo|rush|yarn)(?: |$)/, /^--since(?:=|$)/],
  [
    /^(?:jest|react-scripts test)(?: |$)/,
    /^(?:-o|--onlyChanged|--lastCommit|--changedSince(?:=.*)?|--changedFilesWithAncestor)$/,
  ],
  [/^vitest(?: |$)/, /^--changed(?:=|$)/],
];

/** The word by which a command checks only what changed; undefined: it checks all. */
export function changedWord(words: readonly string[]): string | undefined {
  const call = withoutManager(words.join(" "));
  for (const [program, flag] of CHANGED) {
    const found = program.test(call)
      ? flag === undefined
        ? program.exec(call)![0].trim()
        : words.find((word) => flag.test(word))
      : undefined;
    if (found !== undefined) return found;
  }
  // It checks staged files, unless it is told which.
  const isStaged =
    /^pre-commit run(?: |$)/.test(call) &&
    !words.some((word) => /^(?:-a|--all-files|--files|--from-ref|-s)$/.test(word));
  return isStaged ? "pre-commit run" : undefined;
}

/** `pnpm nx affected`: a package manager that starts a program. */
const withoutManager = (call: string): string =>
  call.replace(/^(?:pnpm|yarn|bun) (?=(?:nx|turbo|lerna|jest|vitest) )/, "");

/** The same command for all files; undefined if that is not certain. */
export function forAll(words: readonly string[]): string | undefined {
  const text = withoutManager(words.join(" "));
  if (/^nx affected(?: |$)/.test(text)) {
    const rest = text.replaceAll(/ --(?:base|head)(?:=| )\S+| --(?:uncommitted|untracked|all)\b/g, "");
    return rest.replace("nx affected", "nx run-many");
  }
  const word = changedWord(words);
  if (word === "pre-commit run") return text.replace(word, `${word} --all-files`);
  const isFlag =
    word?.startsWith("-") === true && (word.includes("=") || !/^--(?:since|changedSince|changed)$/.test(word));
  return isFlag ? text.replace(` ${word}`, "") : undefined;
}

const SERVERS =
  /^(?:nodemon|ts-node-dev|live-server|http-server|serve|webpack-dev-server|browser-sync|concurrently-dev|cypress open|next (?:dev|start)|nuxt dev|nuxi dev|astro dev|astro preview|remix dev|ng serve|vite (?:dev|serve|preview)|webpack serve|webpack (?:--watch|-w)|storybook dev|start-storybook|wrangler dev|react-scripts start|vue-cli-service serve|expo start|tsx watch|vitest (?:watch|dev|--ui)|parcel (?:serve|watch)|gatsby develop|docusaurus start|vitepress dev|mix phx\.server|flask run|uvicorn|gunicorn|rails (?:s|server)|docker(?:-| )compose up|air|cargo (?:watch|run)|watchexec|entr)(?: |$)/;
const ONE_RUN = /^--(?:watch|watchAll|watch-all)=false$|^--no-watch$|^--single-run$|^--run$/;
/** `-w` is the watch mode of these; of others it may mean to write, or a number of workers. */
const SHORT_WATCH = /^(?:tsc|rollup|webpack|tsup|esbuild|mocha|swc|babel|sass|unbuild|tsdown|rolldown)$/;

/** The word by which a command never ends by itself; undefined: it ends. */
export function watchingWord(words: readonly string[]): string | undefined {
  const server = SERVERS.exec(words.join(" "))?.[0];
  if (server !== undefined) return server.trim();
  if (words.length === 1 && words[0] === "vite") return "vite";
  if (words.some((word) => ONE_RUN.test(word))) return undefined;
  const byDefault = /^(?:ng test|karma start)(?: |$)/.exec(words.join(" "))?.[0];
  if (byDefault !== undefined) return byDefault.trim();
  const isShort = SHORT_WATCH.test(words[0] ?? "");
  return words.slice(1).find((word) => /^--watch(?:All|-all)?(?:=true)?$/.test(word) || (isShort && word === "-w"));
}
