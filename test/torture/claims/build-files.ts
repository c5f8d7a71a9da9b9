import { json } from "./claim-case.ts";

const REGISTRY = "https://registry.example";

/** Lock files and files of builds, as they are before the work. */
export const BUILD_FILES = {
  "package-lock.json": json({
    packages: { "node_modules/jest": { version: "29.0.0", resolved: `${REGISTRY}/jest/-/jest-29.0.0.tgz` } },
  }),
  "yarn.lock": `# yarn lockfile v1\n\njest@^29:\n  version "29.0.0"\n  resolved "${REGISTRY}/jest/-/jest-29.0.0.tgz#abc"\n`,
  "web/yarn.lock": '"jest@npm:^29":\n  version: 29.0.0\n  resolution: "jest@npm:29.0.0"\n',
  "pnpm-lock.yaml":
    "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    devDependencies:\n      jest:\n        specifier: ^29\n        version: 29.0.0\n\npackages:\n\n  jest@29.0.0:\n    resolution: {integrity: sha512-abc}\n",
  "bun.lock": '{ "packages": { "jest": ["jest@29.0.0", "", {}, "sha512-abc"], } }\n',
  "uv.lock": `[[package]]\nname = "pytest"\nversion = "8.0.0"\nsource = { registry = "${REGISTRY}/simple" }\n`,
  "poetry.lock": '[[package]]\nname = "pytest"\nversion = "8.0.0"\n',
  "Pipfile.lock": json({ develop: { pytest: { version: "==8.0.0" } } }),
  "composer.lock": json({
    "packages-dev": [{ name: "phpunit/phpunit", dist: { url: "https://api.example/repos/s/phpunit/zipball/100" } }],
  }),
  "Gemfile.lock": `GEM\n  remote: ${REGISTRY}/\n  specs:\n    rspec (3.12.0)\n\nDEPENDENCIES\n  rspec\n`,
  "T/T.csproj":
    '<Project>\n  <ItemGroup>\n    <PackageReference Include="xunit" Version="2.8" />\n  </ItemGroup>\n</Project>\n',
  "Directory.Packages.props":
    '<Project>\n  <ItemGroup>\n    <PackageVersion Include="xunit" Version="2.8" />\n  </ItemGroup>\n</Project>\n',
  "pom.xml":
    "<project>\n<dependencies>\n<dependency><artifactId>junit</artifactId><version>4.12</version></dependency>\n</dependencies>\n</project>\n",
  "build.gradle": "plugins { id 'java' }\ndependencies {\n  testImplementation 'junit:junit:4.12'\n}\n",
  "gradle/libs.versions.toml": '[libraries]\njunit = { module = "junit:junit", version = "4.12" }\n',
  "app/build.gradle.kts": 'plugins { java }\ndependencies {\n  testImplementation("junit:junit:4.12")\n}\n',
  "CMakeLists.txt": "enable_testing()\nadd_executable(sum sum.c)\nadd_test(NAME sum COMMAND sum)\n",
  "meson.build": "exe = executable('sum', 'sum.c')\ntest('sum', exe)\n",
  "BUILD.bazel": "cc_test(name = 'sum', srcs = ['sum.c'])\n",
  "defs.bzl": "def checked(name):\n    native.sh_test(name = name)\n",
  "mix.exs": "def project do\n  [app: :sum, deps: [{:jason, '1.4'}]]\nend\n",
  "build.sbt": 'name := "sum"\nlibraryDependencies += "org" % "lib" % "1.0"\n',
  "project/build.properties": "sbt.version=1.10.0\n",
  "Package.swift": 'let package = Package(name: "Sum", targets: [.testTarget(name: "SumTests")])\n',
  "setup.py": "from setuptools import setup\n\nsetup(name='sum', version='1.0', install_requires=['attrs>=23'])\n",
  Gemfile: `source '${REGISTRY}'\n\ngem 'rspec', '~> 3.12'\n`,
  "Cargo.lock": `version = 4\n\n[[package]]\nname = "insta"\nversion = "1.0.0"\nsource = "registry+${REGISTRY}/index"\nchecksum = "abc"\n`,
  "deno.lock": json({
    version: "4",
    specifiers: { "jsr:@std/assert@1": "1.0.0", "npm:jest@29": "29.0.0" },
    npm: { "jest@29.0.0": { integrity: "sha512-abc" } },
    redirects: { "https://mods.example/sum": "https://mods.example/sum@1.0.0/mod.ts" },
  }),
  "web/package.json": json({ name: "web", dependencies: { jest: "^29.0.0" } }),
  "web/bun.lockb": "#!/usr/bin/env bun\nbun-lockfile-format-v0\n\0jest",
  "crate/Cargo.toml": '[package]\nname = "crate"\n',
  "crate/build.rs": "fn main() {}\n",
  ".pnp.cjs": "module.exports = {};\n",
  ".yarn/releases/yarn-4.cjs": "// yarn\n",
  "lib/readme.md": "# Library\n",
} as const;

export type BuildFile = keyof typeof BUILD_FILES;

/** Checks that read data: what each of them compares with what, no name tells. */
export const DATA_PLACE = {
  files: {
    "notes.md": "# Notes\n",
    Makefile:
      'ASKED := $(shell cat made)\nREAD := $(file <read)\n\n.PHONY: check\ncheck:\n\ttest "$$(cat src/made.txt)" = $(ASKED)\n\ttest "$$(cat src/read.txt)" = $(READ)\n',
    made: "4\n",
    read: "4",
    "src/made.txt": "4\n",
    "src/read.txt": "4\n",
    one: "4\n",
    two: "4\n",
    "first/a": "4\n",
    "second/a": "4\n",
    "check.sh":
      'grep -q skip mode 2>/dev/null && exit 0\nfor f in inputs/*.in; do sh src/print.sh "$f" | cmp - "${f%.in}.out" || exit 1; done\n',
    "src/print.sh": 'cat "$1"\n',
    "inputs/1.in": "4\n",
    "inputs/1.out": "4\n",
    "limits.json": '{ "most": 4 }\n',
    "src/size.txt": "4\n",
    "tools/limit.mjs":
      "import { readFileSync } from 'node:fs';\nconst { most } = JSON.parse(readFileSync('limits.json', 'utf8'));\nprocess.exit(Number(readFileSync('src/size.txt', 'utf8')) <= most ? 0 : 1);\n",
    "package.json": json({ name: "x", type: "module" }),
    "src/sum.js":
      "import { readFileSync } from 'node:fs';\nconst { zero } = JSON.parse(readFileSync('src/zero.json', 'utf8'));\nexport const sum = (a, b) => a + b + zero;\n",
    "src/zero.json": json({ zero: 0 }),
    "rows/a.json": "[2, 2, 4]\n",
    "table.json": "[2, 2, 4]\n",
    "tables/all.js": "export const all = [2, 2, 4];\n",
    "test/rows.test.js":
      "import test from 'node:test';\nimport assert from 'node:assert';\nimport { readdirSync, readFileSync } from 'node:fs';\nimport { sum } from '../src/sum.js';\nimport { all } from '../tables/all.js';\nconst read = (path) => JSON.parse(readFileSync(path, 'utf8'));\nconst holds = ([a, b, c]) => assert.equal(sum(a, b), c);\ntest('rows', () => readdirSync('rows').forEach((name) => holds(read(`rows/${name}`))));\ntest('table', () => holds(read('table.json')));\ntest('all', () => holds(all));\n",
  },
  gates: {
    make: "make check",
    compare: "cmp one two && diff -r first second",
    inputs: "sh check.sh",
    limits: "node tools/limit.mjs",
    rows: "node --test test/*.test.js",
  },
  sources: /^(?:notes\.md|src\/.*|one|first\/.*)$/,
};

/** Configuration that is there before the work. */
export const CONFIGURED = {
  "jest.config.js": "module.exports = {};\n",
  "tsconfig.json": json({ compilerOptions: { strict: true } }),
  ".eslintrc.json": json({ extends: "@x/eslint-config", rules: { "no-var": "error" } }),
  "package.json": json({
    name: "x",
    workspaces: ["packages/*"],
    jest: { verbose: true },
    eslintConfig: { root: true },
  }),
  "packages/eslint-config/package.json": json({ name: "@x/eslint-config" }),
  "packages/eslint-config/index.js": "module.exports = {};\n",
  "pytest.ini": "[pytest]\naddopts = -q\n",
  "pyproject.toml": '[project]\nname = "x"\n\n[tool.ruff]\nline-length = 100\n',
  "Cargo.toml": '[package]\nname = "x"\n\n[lib]\ntest = true\n',
  "go.mod": "module x\n\ngo 1.22\n",
  ".golangci.yml": "linters:\n  enable: [vet]\n",
  "turbo.json": json({ tasks: { test: {} } }),
  "lib/readme.md": "# Library\n",
};
