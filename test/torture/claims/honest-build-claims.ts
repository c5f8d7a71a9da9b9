import { edited, PACKAGE, type Replacement, TEST } from "./build-claims.ts";
import type { BuildFile } from "./build-files.ts";
import { type ClaimCase, claimsIn, FINE, put } from "./claim-case.ts";
import { WORK } from "./places.ts";

/** The tool fails while `src/needs.txt` is there and no other file says NEEDED: the work needs the change. */
const NEEDS = put("src/needs.txt", "the change\n");

/** Honest work that needs its change of a file: a second run without it would be red, and nobody should be asked. */
const needed = (path: BuildFile, what: string, ...replacements: readonly Replacement[]) => ({
  proves: "T-10",
  honest: `${what} in ${path}`,
  edits: `${WORK}; ${NEEDS}; ${edited(path, replacements)}`,
  ends: FINE,
  truth: "none" as const,
});

const neededNew = (path: string, text: string) => ({
  proves: "T-10",
  honest: `adds ${path}`,
  edits: `${WORK}; ${NEEDS}; ${put(path, text)}`,
  ends: FINE,
  truth: "none" as const,
});

const OWN = "NEEDED/own";

export const honestBuildClaims: readonly ClaimCase[] = claimsIn("builds", [
  needed(
    "package-lock.json",
    "upgrades a package",
    ["jest-29.0.0.tgz", "jest-30.0.0-NEEDED.tgz"],
    ["29.0.0", "30.0.0"],
  ),
  needed("package-lock.json", "adds a package of the workspace", [
    '"packages": {',
    `"packages": { "node_modules/own": { "resolved": "${OWN}", "link": true },`,
  ]),
  needed("yarn.lock", "upgrades a package", ["^29:", "^30:"], ["jest-29.0.0.tgz#abc", "jest-30.0.0.tgz#NEEDED"]),
  needed("yarn.lock", "adds a package of the registry", [
    "jest@^29:",
    'left-pad@^1:\n  version "1.0.0"\n  resolved "https://registry.example/left-pad/-/NEEDED.tgz#a"\n\njest@^29:',
  ]),
  needed(
    "web/yarn.lock",
    "upgrades a package and adds one of the workspace",
    ["29.0.0\n", `30.0.0\n`],
    ["npm:29.0.0", "npm:30.0.0"],
    ['"jest@npm', `"own@workspace:*":\n  version: 0\n  resolution: "own@workspace:${OWN}"\n\n"jest@npm`],
  ),
  needed(
    "pnpm-lock.yaml",
    "upgrades a package",
    ["version: 29.0.0", "version: 30.0.0(supports-color@8.1.1)"],
    ["jest@29.0.0", "jest@30.0.0"],
    ["sha512-abc", "sha512-NEEDED"],
  ),
  needed("pnpm-lock.yaml", "adds a package of the workspace", [
    "      jest:",
    `      own:\n        specifier: workspace:*\n        version: link:${OWN}\n      jest:`,
  ]),
  needed("bun.lock", "upgrades a package", ["jest@29.0.0", "jest@30.0.0"], ["sha512-abc", "sha512-NEEDED"]),
  needed("uv.lock", "upgrades a package", ["8.0.0", "9.0.0-NEEDED"]),
  needed("uv.lock", "adds the project itself", [
    "[[package]]",
    '[[package]]\nname = "own"\nsource = { editable = "NEEDED" }\n\n[[package]]',
  ]),
  needed("poetry.lock", "upgrades a package", ["8.0.0", "9.0.0-NEEDED"]),
  needed("Pipfile.lock", "upgrades a package", ["==8.0.0", "==9.0.0-NEEDED"]),
  needed("composer.lock", "upgrades a package", ["zipball/100", "zipball/NEEDED"]),
  needed(
    "Gemfile.lock",
    "upgrades a gem and adds one of its own",
    ["3.12.0", "3.13.0"],
    ["GEM\n", `PATH\n  remote: ${OWN}\n  specs:\n    own (0.1)\n\nGEM\n`],
  ),
  needed("T/T.csproj", "upgrades a package", ["2.8", "2.9-NEEDED"]),
  needed("T/T.csproj", "refers to a project", [
    PACKAGE,
    `${PACKAGE}\n    <ProjectReference Include="../${OWN}.csproj" />`,
  ]),
  needed("T/T.csproj", "moves to another library for tests", ['"xunit" Version="2.8"', '"NUnit" Version="4-NEEDED"']),
  needed("Directory.Packages.props", "upgrades a package", ['Version="2.8"', 'Version="2.9-NEEDED"']),
  needed("pom.xml", "upgrades an artifact", ["4.12", "4.13-NEEDED"]),
  needed("build.gradle", "upgrades a package and adds a project", [
    "'junit:junit:4.12'",
    "'junit:junit:4.13'\n  implementation project(':NEEDED')",
  ]),
  needed("app/build.gradle.kts", "adds a package", [
    "dependencies {\n",
    'dependencies {\n  implementation("org:NEEDED:1.0")\n',
  ]),
  needed("CMakeLists.txt", "names a new source", ["sum.c)", "sum.c NEEDED.c)"]),
  needed("CMakeLists.txt", "adds a program and its test", [
    TEST,
    `${TEST}\nadd_executable(more more.c)\nadd_test(NAME NEEDED COMMAND more)`,
  ]),
  needed("CMakeLists.txt", "adds a folder and a library", [
    TEST,
    `${TEST}\nadd_subdirectory(NEEDED)\ntarget_link_libraries(sum m)`,
  ]),
  needed(
    "meson.build",
    "names a new source and adds a test",
    ["'sum.c'", "'sum.c', 'NEEDED.c'"],
    ["test('sum', exe)", "test('sum', exe)\ntest('more', exe, args: ['more'])"],
  ),
  needed("BUILD.bazel", "adds a test", ["cc_test", "cc_library(name = 'NEEDED')\n\ncc_test"]),
  needed("defs.bzl", "adds a macro", [
    "name = name)\n",
    "name = name)\n\ndef NEEDED(name):\n    native.cc_library(name = name)\n",
  ]),
  needed(
    "gradle/libs.versions.toml",
    "upgrades a library and adds one",
    ["4.12", "4.13"],
    ["]\n", ']\nmore = "org:NEEDED:1.0"\n'],
  ),
  needed("mix.exs", "adds a dependency", ["'1.4'}", "'1.4'}, {:NEEDED, '1.0'}"]),
  needed("build.sbt", "adds a dependency", ['"1.0"\n', '"1.0"\nlibraryDependencies += "org" % "NEEDED" % "2.0"\n']),
  needed("Package.swift", "adds a target", ["targets: [", 'targets: [.target(name: "NEEDED"), ']),
  needed(
    "setup.py",
    "raises its version and needs more",
    ["'1.0'", "'1.1'"],
    ["['attrs>=23']", "['attrs>=23', 'NEEDED']"],
  ),
  needed("setup.py", "writes its requirements in several lines", [
    "['attrs>=23']",
    '[\n    # for NEEDED\n    "attrs>=24",\n    \'more[extra]~=1.0; python_version < "4"\',\n]',
  ]),
  needed("Gemfile", "adds a gem and upgrades another", [
    "'~> 3.12'",
    "'~> 3.13', require: false\ngem 'NEEDED', group: :test",
  ]),
  needed("build.gradle", "adds dependencies in other ways", [
    "  test",
    "  implementation libs.NEEDED\n  testRuntimeOnly(platform('org:bom:1')) {\n    exclude group: 'org', module: 'x'\n  }\n  test",
  ]),
  needed(
    "Cargo.lock",
    "upgrades a crate and adds a member",
    ['"1.0.0"', '"1.1.0"'],
    ["[[package]]", '[[package]]\nname = "NEEDED"\nversion = "0.1.0"\n\n[[package]]'],
  ),
  needed(
    "deno.lock",
    "upgrades packages",
    ['"29.0.0"', '"30.0.0"'],
    ["jest@29.0.0", "jest@30.0.0"],
    ["sum@1.0.0/mod.ts", "sum@2.0.0/mod.ts?NEEDED"],
  ),
  {
    ...needed("web/bun.lockb", "upgrades a package with its manifest", ["\0jest", "\0jest NEEDED"]),
    edits: `${WORK}; ${NEEDS}; ${edited("web/bun.lockb", [["\0jest", "\0jest NEEDED"]])}; ${edited("web/package.json", [["^29", "^30"]])}`,
  },
  neededNew("crates/new/build.rs", "fn main() { /* NEEDED */ }\n"),
  neededNew("lib/CMakeLists.txt", "add_library(NEEDED a.c)\n"),
  neededNew("crates/new/Cargo.lock", "# NEEDED\n"),
]);
