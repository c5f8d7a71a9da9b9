/** A file that a tool finds by its name. */
export interface ToolFile {
  /** Of the whole path. */
  readonly path: RegExp;
  /** The tools that read it, by the words of a command; undefined: it may change any gate. */
  readonly tools?: RegExp | undefined;
  readonly why: string;
}

const words = (names: string): RegExp => new RegExp(String.raw`(?<![\w-])(?:${names})(?!\w)`);

const CODE = "(?:[cm]?[jt]s|json[c5]?|ya?ml|toml)";

const NODE = words(
  "npm|pnpm|yarn|bun|npx|bunx|node|deno|tsx|ts-node|turbo|nx|lerna|vitest|jest|mocha|ava|tap|tape|eslint|tsc|playwright|cypress|karma|wdio|jasmine|ng|ember|testem|codeceptjs",
);
const TYPESCRIPT = words(
  "tsc|tsgo|vue-tsc|svelte-check|tsx|ts-node|ts-jest|vitest|vite|jest|mocha|ava|bun|deno|webpack|rollup|esbuild|tsup|tsdown|next|nuxt|astro|eslint|typescript|swc|babel|playwright|karma|ng|nest|turbo|nx|oxlint|attw|api-extractor",
);
const PYTHON = words(
  String.raw`pixi|rye|python[\d.]*|pytest|py\.test|tox|nox|unittest|coverage|uv|poetry|pdm|hatch|pipenv|mypy|ruff|flake8|pylint|pyright|black|isort|poe`,
);
const PYTEST = words(String.raw`pytest|py\.test|tox|nox|coverage|hatch|poe|manage\.py`);

const FOREIGN = "a package that is not the registry's";
const VENDORED = "a package of others in the repository";
const LOCK_FILE =
  /(?:^|\/)(?:go\.(?:mod|sum)|composer\.(?:json|lock)|Gemfile(?:\.lock)?|Cargo\.(?:toml|lock)|package(?:-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|uv\.lock|poetry\.lock|requirements[\w-]*\.txt)$/;

/** Whether packages of others are installed anew: then their files change with the list of their versions. */
export const isInstalled = (path: string, changed: readonly string[]): boolean =>
  /(?:^|\/)(?:(?:vendor|node_modules|\.?venv|site-packages|\.yarn\/cache|\.yarn\/unplugged)\/|\.pnp\.)/.test(path) &&
  changed.some((other) => LOCK_FILE.test(other) && !/(?:^|\/)(?:vendor|node_modules)\//.test(other));

/** Folders in which tools keep what they found: on the same files they may not look again. */
export const KEPT_RESULTS = String.raw`(?:__pycache__|\.(?:turbo|nx|gradle|wireit|[\w.-]*[-_.]?cache)|\.moon/cache)`;

const named = (pattern: string, tools: RegExp | undefined, why: string): ToolFile => ({
  path: new RegExp(`(?:^|/)(?:${pattern})$`, "i"),
  tools,
  why,
});

/**
 * T-10: configuration by name. An edit of one of these can make a gate green without any work. The first that matches
 * counts. A new tool is one line here.
 */
export const TOOL_FILES: readonly ToolFile[] = [
  {
    path: /(?:^|\/)(?:node_modules|\.yarn\/(?:cache|unplugged|releases|plugins))\//,
    tools: NODE,
    why: "an installed package in the repository",
  },
  {
    path: /(?:^|\/)vendor\//,
    tools: words("go|gotestsum|golangci-lint|cargo|php|phpunit|pest|phpstan|psalm|composer"),
    why: VENDORED,
  },
  {
    path: /(?:^|\/)vendor\/(?:bundle|gems|cache|ruby)\//,
    tools: words("ruby|bundle|rake|rspec|rails|rubocop"),
    why: VENDORED,
  },
  {
    path: /(?:^|\/)(?:\.?venv|site-packages|[^/]+\.(?:dist|egg)-info)\//,
    tools: PYTHON,
    why: "an installed package in the repository",
  },
  named(
    String.raw`\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.[cm]?js|bunfig\.toml|pnpm-workspace\.yaml`,
    NODE,
    "package manager",
  ),
  named(String.raw`\.nvmrc|\.node-version`, NODE, "version of Node.js"),
  named(
    String.raw`\.tool-versions|\.?mise(?:\.\w+)?\.toml|(?:\.config|\.?mise)/(?:mise/.+|mise\.toml|config(?:\.\w+)?\.toml)|\.envrc`,
    undefined,
    "versions and variables of tools",
  ),
  named(String.raw`\.env(?:\.(?!example$|sample$|template$)[\w.-]+)?`, undefined, "variables of the environment"),
  named(
    `vitest[\\w.-]*\\.(?:config|workspace|setup)[\\w.-]*\\.${CODE}|vitest\\.\\w+\\.${CODE}`,
    words("vitest|vite|turbo|nx"),
    "vitest",
  ),
  named(`vite\\.config[\\w.-]*\\.${CODE}`, words("vitest|vite|turbo|nx|storybook"), "vite"),
  named(
    `jest[\\w.-]*\\.(?:config|setup|preset)[\\w.-]*\\.${CODE}|jest\\.\\w+\\.${CODE}|setupTests\\.[jt]sx?`,
    words("jest|react-scripts|craco|turbo|nx|ts-jest|vitest"),
    "jest",
  ),
  named(`playwright[\\w.-]*\\.config[\\w.-]*\\.${CODE}`, words("playwright|turbo|nx"), "playwright"),
  named(`cypress[\\w.-]*\\.(?:config[\\w.-]*\\.)?${CODE}`, words("cypress|turbo|nx"), "cypress"),
  named(`\\.mocharc(?:\\.${CODE})?|mocha\\.opts`, words("mocha|nyc|c8|turbo|nx"), "mocha"),
  named(
    `ava\\.config\\.${CODE}|\\.taprc|jasmine\\.json|karma\\.conf\\.${CODE}|wdio[\\w.-]*\\.conf[\\w.-]*\\.${CODE}|web-test-runner\\.config\\.${CODE}|cucumber\\.${CODE}|testem\\.${CODE}|ember-cli-build\\.${CODE}|codecept\\.conf\\.${CODE}`,
    NODE,
    "test runner",
  ),
  named(`\\.(?:nyc|c8)rc(?:\\.${CODE})?|nyc\\.config\\.${CODE}`, words("nyc|c8"), "coverage"),
  named(String.raw`(?:ts|js)config(?:\.[\w.-]+)?\.json`, TYPESCRIPT, "TypeScript"),
  named(
    `\\.babelrc(?:\\.${CODE})?|babel\\.config\\.${CODE}|\\.swcrc`,
    words("jest|babel|mocha|ava|webpack|swc|next|react-scripts"),
    "babel and swc",
  ),
  named(
    `eslint\\.config\\.${CODE}|\\.eslintrc(?:\\.${CODE})?|\\.eslintignore`,
    words("eslint|xo|standard|next|ng|turbo|nx"),
    "eslint",
  ),
  named(`\\.?oxlintrc\\.jsonc?|oxlint\\.config\\.${CODE}`, words("oxlint"), "oxlint"),
  named(`\\.?oxfmtrc\\.jsonc?|oxfmt\\.config\\.${CODE}`, words("oxfmt"), "oxfmt"),
  named(String.raw`\.?biome\.jsonc?|rome\.json`, words("biome|rome"), "biome"),
  named(
    `\\.prettierrc(?:\\.${CODE})?|prettier\\.config\\.${CODE}|\\.prettierignore`,
    words("prettier|eslint"),
    "prettier",
  ),
  named(String.raw`\.editorconfig`, words("prettier|shfmt|editorconfig-checker|dotnet|ktlint|eclint"), "editorconfig"),
  named(
    `\\.stylelintrc(?:\\.${CODE})?|stylelint\\.config\\.${CODE}|\\.stylelintignore`,
    words("stylelint"),
    "stylelint",
  ),
  named(`\\.?knip\\.${CODE}|knip\\.config\\.${CODE}`, words("knip"), "knip"),
  named(
    String.raw`\.?dprint\.jsonc?|\.?cspell[\w.-]*|\.markdownlint[\w.-]*|\.?typos\.toml|\.?lychee\.toml`,
    words("dprint|cspell|markdownlint[\\w-]*|typos|lychee"),
    "checker of texts",
  ),
  // Git checks blanks, finds and shows by attributes.
  named(String.raw`\.gitattributes`, words("git"), "git"),
  named(
    String.raw`\.gitignore|\.ignore`,
    words("prettier|ruff|biome|oxlint|oxfmt|eslint|black|markdownlint[\\w-]*|cspell|rg|git"),
    "files that tools leave out",
  ),
  named(
    `(?:turbo|nx|lerna|rush|angular|project)\\.jsonc?|\\.nxignore`,
    words("turbo|nx|lerna|rush|ng"),
    "runs scripts in packages",
  ),
  named(
    `(?:webpack|rollup|esbuild|tsup|tsdown|next|nuxt|astro|svelte|remix|metro|craco)\\.config[\\w.-]*\\.${CODE}`,
    words("webpack|rollup|esbuild|tsup|tsdown|next|nuxt|astro|svelte-check|svelte-kit|remix|metro|craco"),
    "build",
  ),
  named(String.raw`deno\.jsonc?|import_map\.json`, words("deno"), "deno"),
  named(String.raw`deno\.lock`, words("deno"), FOREIGN),
  named(String.raw`package\.json`, NODE, "settings of tools"),
  named(String.raw`package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?`, NODE, FOREIGN),
  named(String.raw`\.pnp\.(?:c?js|loader\.mjs)`, NODE, "where packages are"),
  named(String.raw`\.?pytest\.(?:ini|toml)`, PYTEST, "pytest"),
  named(String.raw`conftest\.py`, PYTEST, "pytest"),
  named(String.raw`(?:sitecustomize|usercustomize)\.py|[^/]+\.pth`, PYTHON, "Python reads it at every start"),
  named(
    String.raw`(?:_?pytest|unittest|tox|nox|coverage|mypy|ruff|flake8|pylint|pluggy)(?:\.py|/__init__\.py)`,
    PYTHON,
    "Python finds it in place of the tool",
  ),
  named(String.raw`tox\.ini|tox\.toml|setup\.cfg|pyproject\.toml`, PYTHON, "settings of tools"),
  named(
    String.raw`\.flake8|\.?pylintrc|\.?mypy\.ini|\.?ruff\.toml|pyrightconfig\.json|\.isort\.cfg|\.style\.yapf|\.importlinter`,
    words("flake8|pylint|mypy|ruff|pyright|basedpyright|isort|tox|nox|pre-commit|yapf|lint-imports"),
    "linter",
  ),
  named(String.raw`\.coveragerc`, PYTEST, "coverage"),
  named(String.raw`noxfile\.py|duties\.py`, words("nox|duty"), "runs checks"),
  named(
    String.raw`(?:[\w-]*requirements[\w-]*|constraints)\.txt|(?:uv|poetry|pdm|Pipfile)\.lock|pylock(?:\.\w+)?\.toml`,
    PYTHON,
    FOREIGN,
  ),
  named(String.raw`setup\.py`, PYTHON, "Python runs it to install the package"),
  named(String.raw`(?:uv|poetry|pip)\.(?:toml|conf)`, PYTHON, "package manager"),
  named(String.raw`\.python-version`, PYTHON, "version of Python"),
  named(String.raw`\.pre-commit-config\.yaml`, words("pre-commit"), "pre-commit"),
  named(String.raw`\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)`, words("lefthook"), "lefthook"),
  named(
    String.raw`\.cargo/config(?:\.toml)?|Cargo\.toml|rust-toolchain(?:\.toml)?|\.config/nextest\.toml|\.?clippy\.toml|\.?rustfmt\.toml`,
    words("cargo|rustc|rustup|cross"),
    "cargo",
  ),
  named(String.raw`Cargo\.lock`, words("cargo|cross"), FOREIGN),
  named(String.raw`build\.rs`, words("cargo|cross"), "cargo runs it before it compiles"),
  named(String.raw`go\.mod|go\.work`, words("go|golangci-lint|gotestsum|staticcheck"), "go"),
  named(String.raw`\.golangci\.(?:ya?ml|toml|json)|staticcheck\.conf`, words("golangci-lint|staticcheck"), "linter"),
  named(
    String.raw`Gemfile(?:\.lock)?|gems\.(?:rb|locked)`,
    words("ruby|bundle|rake|rspec|rails|rubocop"),
    "a gem that is not the registry's",
  ),
  named(
    String.raw`\.rspec(?:-local)?|\.rubocop(?:_todo)?\.yml|\.standard\.yml|\.bundler-audit\.yml|\.ruby-version|[\w.-]+\.rake`,
    words("rspec|rubocop|standardrb|ruby|rake|rails|bundle|bundle-audit"),
    "Ruby",
  ),
  named(
    String.raw`composer\.(?:json|lock)`,
    words("phpunit|phpstan|psalm|pest|php|composer"),
    "a package that is not the registry's",
  ),
  named(
    String.raw`phpunit(?:\.dist)?\.xml(?:\.dist)?|phpstan(?:\.dist)?\.neon(?:\.dist)?|psalm\.xml|pest\.php|\.php-cs-fixer(?:\.dist)?\.php|codeception(?:\.dist)?\.yml`,
    words("phpunit|phpstan|psalm|pest|php|composer|php-cs-fixer|codecept"),
    "PHP",
  ),
  named(
    String.raw`[\w.-]+\.gradle(?:\.kts)?|gradle\.properties|gradle/wrapper/[^/]+|(?:buildSrc|build-logic)/.+|libs\.versions\.toml|pom\.xml|\.mvn/(?:[^/]+/)?[^/]+|checkstyle[\w-]*\.xml|\.?detekt\.yml|config/(?:checkstyle|pmd|spotbugs|findbugs|detekt|codenarc)/.+`,
    words("gradlew?|mvnw?|ktlint"),
    "build of Java",
  ),
  named(
    String.raw`junit-platform\.properties|kotest\.properties|testng[\w-]*\.xml|SpockConfig\.groovy|META-INF/services/(?:org\.(?:junit|testng|spockframework)|io\.kotest)[\w.$]*|mockito-extensions/[\w.$]+`,
    words("gradlew?|mvnw?|sbt|mill|bazel"),
    "test runners of Java read it",
  ),
  named(
    String.raw`Directory\.(?:Build|Packages)\.(?:props|targets)|[\w.-]+\.(?:cs|fs|vb)proj|[\w.-]+\.slnx?|global\.json|nuget\.config|\.globalconfig|stylecop\.json|[\w.-]*testconfig\.json|Directory\.Solution\.(?:props|targets)|(?:before|after)\.[\w.-]+\.targets|(?:Directory\.Build|MSBuild)\.rsp|[\w.-]+\.(?:slnf|ruleset)|[\w.-]*\.runsettings|(?:[\w.-]+\.)?xunit\.runner\.json`,
    words("dotnet|msbuild"),
    "build of .NET",
  ),
  named(
    String.raw`CMakeLists\.txt|[\w.-]+\.cmake|CMake(?:User)?Presets\.json|meson\.build|meson_options\.txt|meson\.options|(?:BUILD|WORKSPACE|MODULE)(?:\.bazel)?|[\w.-]*\.bazelrc|\.bazelversion|tools/bazel|[\w.-]+\.bzl|Package\.swift|mix\.exs|build\.sbt|project/[\w.-]+\.(?:sbt|properties)|build\.(?:zig|mill|sc)|\.(?:sbt|jvm|mill)-?(?:jvm-)?opts|\.scala(?:fmt|fix)\.conf|[\w.-]+\.xc(?:testplan|scheme)|Makefile\.(?:am|in)|configure\.ac`,
    words(
      "cmake|ctest|meson|ninja|bazelisk|bazel|swift|xcodebuild|mix|sbt|mill|zig|autoreconf|automake|configure|fastlane",
    ),
    "build",
  ),
  named(String.raw`\.(?:formatter|credo|check)\.exs|\.sobelow-(?:conf|skips)`, words("mix"), "Elixir"),
  named(String.raw`fastlane/\w+file`, words("fastlane"), "fastlane"),
  named(
    String.raw`(?:[\w.-]*\.)?(?:Docker|Container)file(?:\.\w+)?|docker-bake[\w.-]*\.(?:hcl|json)|(?:docker-)?compose[\w.-]*\.ya?ml|\.dockerignore`,
    words("docker|podman|docker-compose"),
    "container",
  ),
  named(
    String.raw`\.shellcheckrc|\.hadolint\.ya?ml|\.yamllint(?:\.ya?ml)?`,
    words("shellcheck|hadolint|yamllint"),
    "linter",
  ),
  { path: /(?:^|\/)(?:\.github\/(?:workflows|actions)|\.circleci|\.buildkite|\.woodpecker)\//, why: "CI" },
  named(
    String.raw`\.gitlab-ci\.yml|azure-pipelines\.yml|Jenkinsfile|\.travis\.yml|bitbucket-pipelines\.yml|\.drone\.yml|\.woodpecker\.ya?ml|appveyor\.yml`,
    undefined,
    "CI",
  ),
  named(String.raw`analysis_options\.yaml`, words("dart|flutter"), "linter"),
  named(
    String.raw`[\w.-]+\.cabal|cabal\.project(?:\.\w+)?|dune(?:-project|-workspace)?|\.ocamlformat(?:-\w+)?|SCons(?:truct|cript)|foundry\.toml|Makefile\.toml`,
    words("cabal|stack|dune|scons|forge|cargo(?:-| )make"),
    "build",
  ),
  named(String.raw`[\w.-]+\.nix`, words("nix(?:-build|-shell|-instantiate)?|nixos-rebuild"), "Nix"),
  named(String.raw`[\w.-]+\.just`, words("just"), "just"),
  named(String.raw`project\.clj|deps\.edn|bb\.edn|build\.clj`, words("lein|clojure|clj|bb"), "build"),
  named(String.raw`pubspec(?:_overrides)?\.yaml|dart_test\.yaml`, words("dart|flutter"), "packages of Dart"),
  named(String.raw`\.Rprofile|\.Renviron|\.lintr`, words("Rscript|R"), "R reads it at every start"),
  named(String.raw`lit(?:\.site|\.local)?\.cfg(?:\.py)?`, words("lit|llvm-lit"), "lit"),
  named(String.raw`[\w.-]+\.nimble|(?:[\w.-]+\.)?nims?\.cfg|config\.nims`, words("nimble|nim|testament"), "build"),
  named(String.raw`package\.yaml`, words("stack|hpack"), "build"),
  named(
    String.raw`BUILD(?:\.\w+)?|BUCK|TARGETS|\.buckconfig[\w.-]*|\.plzconfig[\w.-]*`,
    words("pants|buck2?|plz|please"),
    "build",
  ),
  named(String.raw`wscript`, words("waf"), "build"),
  named(String.raw`magefiles/[\w.-]+\.go`, words("mage"), "build"),
  named(String.raw`dist\.ini`, words("dzil"), "build"),
  named(String.raw`[\w.-]*override\.tf(?:\.json)?`, words("terraform|tofu"), "Terraform"),
  named(String.raw`LocalPreferences\.toml`, words("julia"), "Julia"),
  named(String.raw`[\w.-]+\.do`, words("redo(?:-\\w+)?"), "build"),
  named(String.raw`package-scripts\.\w+`, words("nps"), "runs scripts"),
  named(String.raw`common/config/rush/[^/]+`, words("rush"), "runs scripts in packages"),
  named(String.raw`\.storybook/.+`, words("storybook|test-storybook"), "storybook"),
  named(
    String.raw`[\w.-]+\.rego|\.dependency-cruiser\.\w+|\.?lighthouserc\.\w+|\.secrets\.baseline|\.basedpyright/[^/]+`,
    words("conftest|opa|regal|depcruise|lhci|lighthouse|detect-secrets(?:-hook)?|basedpyright"),
    "linter",
  ),
  // Whoever commits the results that a tool keeps, says what it finds.
  {
    path: new RegExp(
      String.raw`(?:^|/)${KEPT_RESULTS}/|\.tsbuildinfo$|(?:^|/)\.[\w.-]+[-_.]?cache$|(?:^|/)\.rspec_status$`,
    ),
    why: "results that a tool kept",
  },
  { path: /(?:^|\/)(?:patches|\.yarn\/patches)\/[^/]+\.patch$/, tools: NODE, why: "a patch of a package" },
];
