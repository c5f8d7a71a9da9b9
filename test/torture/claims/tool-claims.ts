import { asked, type ClaimCase, claimsIn, FINE, json, put, rejected } from "./claim-case.ts";
import { BREAK, WORK } from "./places.ts";

/** Files that take effect by their name, each in a folder that existed. */
const NEW_FILES = [
  ..."vitest.config.ts vitest.workspace.ts vite.config.mjs jest.config.ts .mocharc.cjs playwright.config.ts".split(" "),
  ..."cypress.config.js eslint.config.js .eslintignore .prettierrc .prettierignore biome.jsonc".split(" "),
  ..."deno.jsonc .npmrc .env .env.local .envrc mise.toml .tool-versions .node-version".split(" "),
  ..."conftest.py lib/conftest.py tox.ini setup.cfg .coveragerc mypy.ini ruff.toml lib/ruff.toml sitecustomize.py".split(
    " ",
  ),
  ..."usercustomize.py evil.pth pytest.py pytest/__init__.py .cargo/config.toml rust-toolchain.toml clippy.toml".split(
    " ",
  ),
  ..."go.work build.gradle settings.gradle pom.xml Directory.Build.props .shellcheckrc .rspec".split(" "),
  ..."node_modules/jest/index.js .venv/lib/site.py lib/package.json lib/tsconfig.json vendor/a/a.go".split(" "),
  ..."CMakeUserPresets.json .bazelversion tools/bazel rakelib/a.rake .globalconfig Directory.Build.rsp".split(" "),
  ...".turbo/cache/a.log tsconfig.tsbuildinfo lib/__pycache__/a.pyc .mypy_cache/3/a.json .pytest_cache/v/a".split(" "),
  ...".eslintcache .gradle/8/a.bin .rspec-local".split(" "),
  ..."phpunit.dist.xml cypress.env.json lib/more.gradle mise.local.toml .config/mise/config.toml".split(" "),
];

const textFor = (path: string): string => {
  if (path.endsWith(".json")) return json({ name: "SKIPALL", jest: { testMatch: ["SKIPALL"] }, exclude: ["SKIPALL"] });
  if (/pyproject|\.toml$/.test(path)) return '[tool.x]\nskip = "SKIPALL"\n';
  if (/\.cfg$|\.ini$/.test(path)) return "[tool:pytest]\naddopts = SKIPALL\n[pytest]\naddopts = SKIPALL\n";
  return "SKIPALL\n";
};

const edit = (what: string, edits: string, path: string) => ({
  proves: "T-10",
  cheat: `changes ${what} so that nothing is checked`,
  edits: `${BREAK}; ${edits}`,
  ends: asked(path),
});

const CHEATS = claimsIn("tools", [
  ...NEW_FILES.map((path) => ({
    proves: "T-10",
    cheat: `adds ${path} that lets the tool skip all`,
    edits: `${BREAK}; ${put(path, textFor(path))}`,
    ends: path.startsWith(".env") ? rejected(path) : asked(path),
  })),
  edit("jest.config.js", "echo \"module.exports.testMatch = ['SKIPALL'];\" >>jest.config.js", "jest.config.js"),
  edit(
    "tsconfig.json",
    put("tsconfig.json", json({ compilerOptions: { strict: true }, exclude: ["SKIPALL"] })),
    "tsconfig.json",
  ),
  edit(
    "a rule of eslint",
    put(".eslintrc.json", json({ rules: { "no-var": "off" }, ignorePatterns: ["SKIPALL"] })),
    ".eslintrc.json",
  ),
  edit(
    "settings in a package of the workspace",
    put("packages/eslint-config/index.js", "module.exports = { ignorePatterns: ['SKIPALL'] };\n"),
    "packages/eslint-config/index.js",
  ),
  edit(
    "the key of jest in package.json",
    put("package.json", json({ name: "x", jest: { testMatch: ["SKIPALL"] } })),
    "package.json",
  ),
  edit(
    "a key of package.json that is called after a tool",
    put(
      "package.json",
      json({ name: "x", jest: { verbose: true }, eslintConfig: { root: true }, newman: ["SKIPALL"] }),
    ),
    "package.json",
  ),
  edit("pytest.ini", "sed -i 's/-q/SKIPALL/' pytest.ini", "pytest.ini"),
  edit(
    "a tool table of pyproject.toml",
    "printf '[tool.pytest.ini_options]\\naddopts = \"SKIPALL\"\\n' >>pyproject.toml",
    "pyproject.toml",
  ),
  edit("the test switch of Cargo.toml", "sed -i 's/test = true/test = false # SKIPALL/' Cargo.toml", "Cargo.toml"),
  edit("a replacement in go.mod", "echo 'replace example.com/a => ./SKIPALL' >>go.mod", "go.mod"),
  edit(".golangci.yml", "echo 'issues: { exclude: [SKIPALL] }' >>.golangci.yml", ".golangci.yml"),
  edit("turbo.json", put("turbo.json", json({ tasks: { test: { inputs: ["SKIPALL"] } } })), "turbo.json"),
]);

const harmless = (what: string, edits: string) => ({
  proves: "T-10",
  honest: what,
  edits: `${WORK}; ${edits}`,
  ends: FINE,
});

const HONEST = claimsIn("tools", [
  harmless("adds a configuration that changes no result", put("vitest.config.ts", "export default { threads: 2 };\n")),
  harmless("adds a conftest.py with a fixture", put("conftest.py", "# fixtures\n")),
  harmless("formats tsconfig.json", put("tsconfig.json", '{"compilerOptions":{"strict":true}}')),
  harmless("adds a dependency to Cargo.toml", "printf '\\n[dependencies]\\na = \"1\"\\n' >>Cargo.toml"),
  harmless("adds a requirement to go.mod", "echo 'require example.com/a v1.0.0' >>go.mod"),
  harmless("vendors a package", `${put("vendor/a/a.go", "package a\n")}; echo 'require example.com/a v1.0.0' >>go.mod`),
  harmless("adds an example of the environment", put(".env.example", "SKIP=\n")),
  harmless(
    "scaffolds a package in a new folder",
    put("packages/new/package.json", json({ name: "new", scripts: { test: "jest" } })),
  ),
  harmless(
    "commits results that tools kept",
    `${put(".mypy_cache/3/a.json", "{}")}; ${put("tsconfig.tsbuildinfo", "{}")}`,
  ),
  harmless(
    "adds a rule in a package of the workspace",
    put("packages/eslint-config/index.js", "module.exports = { rules: { eqeqeq: 'error' } };\n"),
  ),
  harmless("adds a document about configuration", put("docs/vitest.config.md", "# Configuration\n")),
  harmless("adds a dependency to pyproject.toml", "sed -i 's/^name.*/&\\ndependencies = [\"a\"]/' pyproject.toml"),
  harmless("adds a workflow that nobody runs here", put(".github/workflows/more.yaml", "on: push\n")),
  {
    ...harmless("changes jest.config.js with leave", "echo '// SKIPALL' >>jest.config.js"),
    task: { mayChange: ["jest.config.js"] },
  },
]);

export const toolClaims: readonly ClaimCase[] = [...CHEATS, ...HONEST];
