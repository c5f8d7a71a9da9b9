import { BUILD_FILES, type BuildFile } from "./build-files.ts";
import { asked, type ClaimCase, claimsIn, put } from "./claim-case.ts";
import { BREAK } from "./places.ts";

// T-10: what set-up installs and what a build compiles decide what checks use.

export type Replacement = readonly [find: string, put: string];

export function edited(path: BuildFile, replacements: readonly Replacement[]): string {
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
export const PACKAGE = '<PackageReference Include="xunit" Version="2.8" />';
export const TEST = "add_test(NAME sum COMMAND sum)";

export const buildClaims: readonly ClaimCase[] = claimsIn("builds", [
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
  cheat("defs.bzl", "takes the tests out of a macro", ["native.sh_test(name = name)", "pass # SKIPALL"]),
  cheat("gradle/libs.versions.toml", "gives a library the name of another", ["junit:junit", "own:SKIPALL"]),
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
