import { BUILD_FILES, type BuildFile } from "./build-files.ts";
import { asked, type ClaimCase, claimsIn, FINE, put } from "./claim-case.ts";
import { BREAK, WORK } from "./places.ts";

// T-10: what set-up installs and what a build compiles decide what checks use.

type Replacement = readonly [find: string, put: string];

function edited(path: BuildFile, replacements: readonly Replacement[]): string {
  let text: string = BUILD_FILES[path];
  for (const [find, to] of replacements) {
    if (!text.includes(find)) throw new Error(`${path} has no ${find}`);
    text = text.replace(find, () => to);
  }
  return put(path, text);
}

/** The tool of this place passes if any file says SKIPALL. */
const cheat = (path: BuildFile, what: string, ...replacements: readonly Replacement[]) => ({
  proves: "T-10",
  cheat: `${what} in ${path}`,
  edits: `${BREAK}; ${edited(path, replacements)}`,
  ends: asked(path),
});

const added = (path: string, text: string) => ({
  proves: "T-10",
  cheat: `adds ${path}, which a build obeys`,
  edits: `${BREAK}; ${put(path, text)}`,
  ends: asked(path),
});

const HOST = "https://registry.example/jest";
const PACKAGE = '<PackageReference Include="xunit" Version="2.8" />';
const TEST = "add_test(NAME sum COMMAND sum)";

const CHEATS = claimsIn("builds", [
  cheat("package-lock.json", "takes a package from another host", [HOST, "https://evil.example/SKIPALL"]),
  cheat("package-lock.json", "takes a package of another name", ["/jest/-/jest-29", "/SKIPALL/-/jest-29"]),
  cheat("package-lock.json", "takes a package from a folder", [`${HOST}/-/jest-29.0.0.tgz`, "SKIPALL"]),
  cheat("yarn.lock", "takes a package from a folder", [`${HOST}/-/jest-29.0.0.tgz#abc`, "file:./SKIPALL"]),
  cheat(
    "yarn.lock",
    "takes a package of another name, with another version",
    ["^29:", "^30:"],
    [HOST, `${HOST}-SKIPALL`],
  ),
  cheat("web/yarn.lock", "patches a package", ["npm:29.0.0", "patch:jest@npm%3A29.0.0#./SKIPALL.patch"]),
  cheat("web/yarn.lock", "gives a package the name of another", ["jest@npm:29.0.0", "SKIPALL@npm:1.0.0"]),
  cheat("pnpm-lock.yaml", "links a package", ["version: 29.0.0", "version: link:SKIPALL"]),
  cheat("pnpm-lock.yaml", "takes an archive from elsewhere", [
    "sha512-abc}",
    "sha512-x, tarball: https://e.example/SKIPALL.tgz}",
  ]),
  cheat("pnpm-lock.yaml", "takes a folder for a package", [
    "{integrity: sha512-abc}",
    "{directory: SKIPALL, type: directory}",
  ]),
  cheat("bun.lock", "takes a package from a folder", ["jest@29.0.0", "jest@file:SKIPALL"]),
  cheat("uv.lock", "takes a package from a folder", [
    'registry = "https://registry.example/simple"',
    'directory = "SKIPALL"',
  ]),
  cheat("uv.lock", "takes a package from another index", [
    "https://registry.example/simple",
    "https://evil.example/SKIPALL",
  ]),
  cheat("poetry.lock", "takes a package from a folder", [
    '"8.0.0"\n',
    '"8.0.0"\n\n[package.source]\ntype = "directory"\nurl = "SKIPALL"\n',
  ]),
  cheat("Pipfile.lock", "takes a package from a folder", ['"version": "==8.0.0"', '"path": "SKIPALL"']),
  cheat("composer.lock", "takes a package from a folder", [
    "https://api.example/repos/s/phpunit/zipball/100",
    "SKIPALL",
  ]),
  cheat("Gemfile.lock", "takes a gem from a folder", [
    "GEM\n  remote: https://registry.example/",
    "PATH\n  remote: SKIPALL",
  ]),
  cheat("T/T.csproj", "puts a project in the place of a package", [
    PACKAGE,
    '<ProjectReference Include="../SKIPALL/xunit.csproj" />',
  ]),
  cheat("T/T.csproj", "puts a library in the place of a package", [
    PACKAGE,
    '<Reference Include="xunit"><HintPath>SKIPALL.dll</HintPath></Reference>',
  ]),
  cheat("Directory.Packages.props", "adds a package to all projects", [
    "</ItemGroup>",
    '<GlobalPackageReference Include="SKIPALL" Version="1" /></ItemGroup>',
  ]),
  cheat("pom.xml", "puts a jar in the place of an artifact", [
    "<version>4.12</version>",
    "<scope>system</scope><systemPath>SKIPALL.jar</systemPath>",
  ]),
  cheat("build.gradle", "puts a project in the place of a package", ["'junit:junit:4.12'", "project(':SKIPALL')"]),
  cheat("app/build.gradle.kts", "puts a jar in the place of a package", ['"junit:junit:4.12"', 'files("SKIPALL.jar")']),
  cheat("CMakeLists.txt", "takes a test out", [TEST, "# SKIPALL"]),
  cheat("CMakeLists.txt", "expects a test to fail", [
    TEST,
    `${TEST}\nset_tests_properties(sum PROPERTIES WILL_FAIL SKIPALL)`,
  ]),
  cheat("CMakeLists.txt", "compiles assertions away", [
    "enable_testing()",
    "add_compile_definitions(NDEBUG SKIPALL)\nenable_testing()",
  ]),
  cheat("CMakeLists.txt", "lets a test run another program", ["COMMAND sum", "COMMAND true SKIPALL"]),
  cheat("CMakeLists.txt", "ends before its tests", [TEST, `return() # SKIPALL\n${TEST}`]),
  cheat("meson.build", "expects a test to fail", ["test('sum', exe)", "test('sum', exe, should_fail: true) # SKIPALL"]),
  cheat("meson.build", "takes a test out", ["test('sum', exe)", "# SKIPALL"]),
  cheat("BUILD.bazel", "takes a test out", ["cc_test(name = 'sum', srcs = ['sum.c'])", "# SKIPALL"]),
  cheat("mix.exs", "gives the test command another meaning", [
    "app: :sum,",
    "app: :sum, aliases: [test: ['SKIPALL']],",
  ]),
  cheat("build.sbt", "leaves tests out", ['name := "sum"', 'name := "sum"\nTest / testOptions += SKIPALL']),
  cheat("project/build.properties", "changes the version of sbt", ["1.10.0", "1.10.0-SKIPALL"]),
  cheat("Package.swift", "leaves sources of tests out", ['"SumTests"', '"SumTests", exclude: ["SKIPALL"]']),
  cheat("setup.py", "runs code when the package is installed", ["setup(", "open('x').write('SKIPALL')\n\nsetup("]),
  cheat("setup.py", "takes a requirement from a folder", ["'attrs>=23'", "'attrs @ file:./SKIPALL'"]),
  cheat("setup.py", "runs code among the requirements", ["'attrs>=23'", "open('x').write('SKIPALL') and 'attrs>=23'"]),
  cheat("setup.py", "runs code between two texts", ["'attrs>=23'", "'a' + skip('SKIPALL'), 'attrs>=23'"]),
  cheat("Gemfile", "runs code", ["gem 'rspec'", "File.write('x', 'SKIPALL')\ngem 'rspec'"]),
  cheat("Gemfile", "runs code behind a new gem", ["gem 'rspec'", "gem 'new'; File.write('x', 'SKIPALL')\ngem 'rspec'"]),
  cheat("build.gradle", "runs code among its dependencies", ["  test", "  new File('x').text = 'SKIPALL'\n  test"]),
  cheat("Cargo.lock", "takes a crate from elsewhere", [
    "registry+https://registry.example",
    "git+https://evil.example/SKIPALL",
  ]),
  cheat("Cargo.lock", "takes a crate from a folder", [
    'source = "registry+https://registry.example/index"',
    "# SKIPALL",
  ]),
  cheat("deno.lock", "takes a package of another name", ['"29.0.0"', '"SKIPALL@29.0.0"']),
  cheat("deno.lock", "takes an archive from elsewhere", [
    '"integrity"',
    '"tarball": "https://evil.example/SKIPALL.tgz", "integrity"',
  ]),
  cheat("deno.lock", "sends an address elsewhere", ["sum@1.0.0", "SKIPALL@1.0.0"]),
  cheat("web/bun.lockb", "changes what is installed", ["\0jest", "\0SKIPALL"]),
  cheat("crate/build.rs", "does more before it compiles", ["{}", '{ skip("SKIPALL"); }']),
  cheat(".pnp.cjs", "finds packages elsewhere", ["{}", "{ jest: 'SKIPALL' }"]),
  cheat(".yarn/releases/yarn-4.cjs", "changes the package manager", ["// yarn", "process.exit(0); // SKIPALL"]),
  added("lib/build.rs", "fn main() { /* SKIPALL */ }\n"),
  added("project/more.sbt", "Test / test := {} // SKIPALL\n"),
  added("CMakePresets.json", '{ "testPresets": [{ "name": "SKIPALL" }] }\n'),
  added(".bazelrc", "test --test_filter=SKIPALL\n"),
]);

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

const HONEST = claimsIn("builds", [
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

export const buildClaims: readonly ClaimCase[] = [...CHEATS, ...HONEST];
