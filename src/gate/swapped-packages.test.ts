import { describe, expect, test } from "vitest";
import { type Files, filesLook } from "../../test/files-look.ts";
import type { FileChange } from "../domain/change.ts";
import { DEFAULT_TEST_FILES } from "../domain/test-files.ts";
import { decidingChanges } from "./gate.ts";

const state = { mode: "100644", hash: "x" };

/** Whether a change of one file decides about a gate. */
async function decides(run: string, path: string, before: string | undefined, after: string): Promise<boolean> {
  const folders = { "lib/a": "", "project/a": "" };
  const old: Files = before === undefined ? folders : { [path]: before, ...folders };
  const kind = before === undefined ? "added" : "modified";
  const change: FileChange = { path, kind, before: before === undefined ? undefined : state, after: state };
  const looks = { base: filesLook(old), candidate: filesLook({ ...old, [path]: after }) };
  const about = { gates: [{ id: "g", run }], ...looks, changes: [change], testFiles: DEFAULT_TEST_FILES };
  return (await decidingChanges(about)).length > 0;
}

const REGISTRY = "https://registry.example";
const npm = (resolved: string, more: object = {}): string =>
  JSON.stringify({ packages: { "node_modules/jest": { resolved }, ...more } });
const OTHER = { "node_modules/other": { version: "1.0.0", resolved: `${REGISTRY}/other/-/other-1.tgz` } };
const npmOf = (one: object): string =>
  JSON.stringify({ packages: { "node_modules/jest": { version: "29.7.0", ...one }, ...OTHER } });
const JEST = { resolved: `${REGISTRY}/jest/-/jest-29.tgz` };
const yarn1 = (range: string, resolved: string): string =>
  `# v1\n\njest@${range}:\n  version "29"\n  resolved "${resolved}"\n`;
const yarn = (key: string, resolution: string): string => `"${key}":\n  version: 29\n  resolution: "${resolution}"\n`;
const pnpm = (version: string, resolution = "{integrity: sha512-x}"): string =>
  `lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    devDependencies:\n      jest:\n        specifier: ^29\n        version: ${version}\n\npackages:\n\n  jest@29.7.0:\n    resolution: ${resolution}\n`;
const patched = (version: string, patch: string): string =>
  yarn(`ts@patch:ts@npm%3A^5#${patch}`, `ts@patch:ts@npm%3A${version}#${patch}::version=${version}&hash=${version}`);
const BUILTIN = "optional!builtin<compat/ts>";
const linked = (...links: [importer: string, link: string][]): string =>
  `importers:\n\n${links.map(([importer, link]) => `  ${importer}:\n    dependencies:\n      ui:\n        specifier: workspace:*\n        version: ${link}\n`).join("\n")}`;
const bun = (first: string, address = ""): string => `{ "packages": { "jest": ["${first}", "${address}", {}, "x"], } }`;
const uv = (version: string, source: string): string =>
  `[[package]]\nname = "pytest"\nversion = "${version}"\nsource = { ${source} }\n`;
const poetry = (source: string): string => `[[package]]\nname = "pytest"\nversion = "8"\n${source}\n`;
const pipenv = (one: object): string => JSON.stringify({ develop: { pytest: one } });
const composer = (url: string): string =>
  JSON.stringify({ "packages-dev": [{ name: "phpunit/phpunit", dist: { url } }] });
const gems = (section: string, remote: string): string =>
  `${section}\n  remote: ${remote}\n  specs:\n    rspec (3.13.0)\n      rspec-core (~> 3.13)\n`;

const cargo = (source: string, version = "1.0.0"): string =>
  `[[package]]\nname = "insta"\nversion = "${version}"\n${source === "" ? "" : `source = "${source}"\n`}`;
const CRATES = "registry+https://github.example/rust-lang/crates.io-index";
const deno = (specifiers: object, more: object = {}): string => JSON.stringify({ version: "4", specifiers, ...more });

describe("T-10 a lock file that takes a package from somewhere else decides", () => {
  test.each<[string, string, string, string]>([
    ["npm test", "package-lock.json", npm(`${REGISTRY}/jest/-/jest-29.tgz`), npm("tools/jest")],
    ["npm test", "package-lock.json", npm(`${REGISTRY}/jest/-/jest-29.tgz`), npm(`${REGISTRY}/evil/-/evil-1.tgz`)],
    [
      "npm test",
      "package-lock.json",
      npm(`${REGISTRY}/jest/-/jest-29.tgz`),
      npm("https://evil.example/jest/-/jest-29.tgz"),
    ],
    ["npm test", "package-lock.json", npmOf({}), npmOf({ resolved: "https://evil.example/jest/-/jest-29.tgz" })],
    ["npm test", "package-lock.json", npmOf({}), npmOf({ resolved: `${REGISTRY}/evil/-/evil-29.tgz` })],
    ["npm test", "package-lock.json", npmOf({}), npmOf({ resolved: "tools/jest", link: true })],
    ["npm test", "package-lock.json", npmOf(JEST), npmOf({ name: "evil" })],
    ["npm test", "package-lock.json", npmOf(JEST), npmOf({ inBundle: true })],
    ["npm test", "package-lock.json", npmOf({ resolved: "tools/jest", link: true }), npmOf({})],
    [
      "npm test",
      "package-lock.json",
      npm("git+ssh://git@git.example/o/x.git#a"),
      npm("git+ssh://git@git.example/evil/x.git#a"),
    ],
    [
      "npm test",
      "package-lock.json",
      npm("git+https://git.example/o/x.js.git#a"),
      npm("git+https://git.example/evil/x.js.git#a"),
    ],
    [
      "npm test",
      "package-lock.json",
      npm("https://npm.example/download/@o/p/1.0.0/a"),
      npm("https://npm.example/download/@o/evil/1.0.0/a"),
    ],
    [
      "npm test",
      "package-lock.json",
      npm("https://code.example/o/p/tar.gz/a"),
      npm("https://code.example/evil/p/tar.gz/a"),
    ],
    ["yarn test", "yarn.lock", yarn1("^29", `${REGISTRY}/jest/-/jest-29.tgz#a`), yarn1("^29", "file:./tools/jest")],
    [
      "yarn test",
      "yarn.lock",
      yarn1("^29", `${REGISTRY}/jest/-/jest-29.tgz#a`),
      yarn1("^30", `${REGISTRY}/evil/-/evil-1.tgz#a`),
    ],
    [
      "yarn test",
      "yarn.lock",
      yarn("jest@npm:^29", "jest@npm:29.7.0"),
      yarn("jest@npm:^29", "jest@file:./tools/jest#x"),
    ],
    ["yarn test", "yarn.lock", yarn("jest@npm:^29", "jest@npm:29.7.0"), yarn("jest@npm:evil@1", "evil@npm:1.0.0")],
    [
      "yarn test",
      "yarn.lock",
      yarn("jest@npm:^29", "jest@npm:29.7.0"),
      yarn("jest@npm:^29", "jest@patch:jest@npm%3A29#./p.patch"),
    ],
    ["yarn test", "yarn.lock", patched("5.4.5", BUILTIN), patched("5.4.5", "./evil.patch")],
    [
      "yarn test",
      "yarn.lock",
      patched("5.4.5", BUILTIN),
      patched("5.4.5", BUILTIN).replace("ts@patch:ts@npm%3A5", "ts@patch:evil@npm%3A5"),
    ],
    ["pnpm test", "pnpm-lock.yaml", pnpm("29.7.0"), pnpm("link:tools/jest")],
    [
      "pnpm test",
      "pnpm-lock.yaml",
      linked(["apps/web", "link:../../packages/ui"]),
      linked(["apps/web", "link:../../packages/ui"], ["packages/forms", "link:../../ui"]),
    ],
    [
      "pnpm test",
      "pnpm-lock.yaml",
      linked(["apps/web", "link:../ui"]),
      linked(["apps/web", "link:../ui"], ["packages/forms", "link:../ui"]),
    ],
    ["pnpm test", "pnpm-lock.yaml", pnpm("29.7.0"), pnpm("evil@1.0.0")],
    ["pnpm test", "pnpm-lock.yaml", pnpm("29.7.0"), pnpm("29.7.0", "{directory: tools/jest, type: directory}")],
    [
      "pnpm test",
      "pnpm-lock.yaml",
      pnpm("29.7.0"),
      pnpm("29.7.0", "{integrity: sha512-y, tarball: https://evil.example/j.tgz}"),
    ],
    ["bun test", "bun.lock", bun("jest@29.7.0"), bun("jest@file:tools/jest")],
    ["bun test", "bun.lock", bun("jest@29.7.0"), bun("evil@1.0.0")],
    ["bun test", "bun.lock", bun("jest@29.7.0"), bun("jest@29.7.0", "https://evil.example/jest.tgz")],
    ["uv run pytest", "uv.lock", uv("8.1", `registry = "${REGISTRY}/simple"`), uv("8.1", 'directory = "tools/pytest"')],
    [
      "uv run pytest",
      "uv.lock",
      uv("8.1", `registry = "${REGISTRY}/simple"`),
      uv("8.1", 'registry = "https://evil.example/simple"'),
    ],
    ["poetry run pytest", "poetry.lock", poetry(""), poetry('[package.source]\ntype = "directory"\nurl = "tools"')],
    ["pipenv run pytest", "Pipfile.lock", pipenv({ version: "==8" }), pipenv({ path: "tools/pytest" })],
    [
      "vendor/bin/phpunit",
      "composer.lock",
      composer("https://api.example/repos/s/phpunit/zipball/1"),
      composer("tools/phpunit"),
    ],
    ["bundle exec rspec", "Gemfile.lock", gems("GEM", `${REGISTRY}/`), gems("PATH", "tools/rspec")],
    ["cargo test", "Cargo.lock", cargo(CRATES), cargo("git+https://evil.example/insta?branch=x#1234")],
    ["cargo test", "Cargo.lock", cargo(CRATES), cargo("")],
    [
      "deno test",
      "deno.lock",
      deno({ "jsr:@std/assert@1": "1.0.0" }),
      deno({ "jsr:@std/assert@1": "jsr:@evil/assert@1.0.0" }),
    ],
    [
      "deno test",
      "deno.lock",
      deno({}, { npm: { "jest@29.0.0": {} } }),
      deno({}, { npm: { "jest@29.0.0": { tarball: "https://evil.example/jest.tgz" } } }),
    ],
    ["bundle exec rspec", "Gemfile.lock", gems("GEM", `${REGISTRY}/`), gems("GEM", "https://evil.example/")],
  ])("%s: %s %#", async (run, path, before, after) => {
    expect(await decides(run, path, before, after)).toBe(true);
  });

  const own = { "node_modules/own": { resolved: "packages/own", link: true } };
  test.each<[string, string, string | undefined, string]>([
    [
      "npm test",
      "package-lock.json",
      npm(`${REGISTRY}/jest/-/jest-29.tgz`),
      npm(`${REGISTRY}/jest/-/jest-30.tgz`, own),
    ],
    ["npm test", "package-lock.json", npmOf(JEST), npmOf({})],
    ["npm test", "package-lock.json", npmOf({}), npmOf(JEST)],
    ["npm test", "package-lock.json", npmOf({}), npmOf({ version: "30.0.0" })],
    [
      "npm test",
      "package-lock.json",
      npm("git+ssh://git@git.example/o/x.git#a"),
      npm("git+ssh://git@git.example/o/x.git#b"),
    ],
    [
      "npm test",
      "package-lock.json",
      npm("https://npm.example/download/@o/p/1.0.0/a"),
      npm("https://npm.example/download/@o/p/1.1.0/b"),
    ],
    [
      "npm test",
      "package-lock.json",
      npm("https://code.example/o/p/tar.gz/a"),
      npm("https://code.example/o/p/tar.gz/b"),
    ],
    ["npm test", "package-lock.json", undefined, npm(`${REGISTRY}/jest/-/jest-30.tgz`)],
    [
      "yarn test",
      "yarn.lock",
      yarn1("^29", `${REGISTRY}/jest/-/jest-29.tgz#a`),
      yarn1("^30", `${REGISTRY}/jest/-/jest-30.tgz#b`),
    ],
    [
      "yarn test",
      "yarn.lock",
      yarn("jest@npm:^29", "jest@npm:29.7.0"),
      `${yarn("jest@npm:^30", "jest@npm:30.0.0")}\n${yarn("own@workspace:*", "own@workspace:packages/own")}`,
    ],
    ["yarn test", "yarn.lock", patched("5.4.5", BUILTIN), patched("5.5.2", BUILTIN)],
    ["yarn test", "yarn.lock", patched("5.4.5", "~builtin<compat/ts>"), patched("5.5.2", BUILTIN)],
    [
      "yarn test",
      "yarn.lock",
      patched("5.4.5", "./a.patch").replaceAll("npm%3A", ""),
      patched("5.5.2", "./a.patch").replaceAll("npm%3A", ""),
    ],
    [
      "pnpm test",
      "pnpm-lock.yaml",
      linked(["apps/web", "link:../../packages/ui"]),
      linked(["apps/web", "link:../../packages/ui"], ["packages/forms", "link:../ui"]),
    ],
    [
      "pnpm test",
      "pnpm-lock.yaml",
      linked(["apps/web", "file:packages/ui"]),
      linked(["apps/web", "file:packages/ui"], ["packages/forms", "file:packages/ui"]),
    ],
    ["pnpm test", "pnpm-lock.yaml", pnpm("29.7.0"), pnpm("30.0.0(supports-color@8)", "{integrity: sha512-y}")],
    [
      "pnpm test",
      "pnpm-lock.yaml",
      pnpm("29.7.0"),
      pnpm("29.7.0").replace(
        "      jest:",
        "      own:\n        specifier: workspace:*\n        version: link:packages/own\n      jest:",
      ),
    ],
    ["bun test", "bun.lock", bun("jest@29.7.0"), bun("jest@30.0.0")],
    [
      "uv run pytest",
      "uv.lock",
      uv("8.1", `registry = "${REGISTRY}/simple"`),
      uv("9.0", `registry = "${REGISTRY}/simple"`),
    ],
    ["poetry run pytest", "poetry.lock", poetry(""), poetry("optional = false")],
    ["pipenv run pytest", "Pipfile.lock", pipenv({ version: "==8" }), pipenv({ version: "==9" })],
    [
      "vendor/bin/phpunit",
      "composer.lock",
      composer("https://api.example/repos/s/phpunit/zipball/1"),
      composer("https://api.example/repos/s/phpunit/zipball/2"),
    ],
    [
      "bundle exec rspec",
      "Gemfile.lock",
      gems("GEM", `${REGISTRY}/`),
      `${gems("GEM", `${REGISTRY}/`)}    rack (3.0)\n\n${gems("PATH", "engines/own").replaceAll("rspec", "own")}`,
    ],
    ["cargo test", "Cargo.lock", cargo(CRATES), `${cargo(CRATES, "1.1.0")}\n${cargo("").replace("insta", "own")}`],
    ["cargo test", "Cargo.lock", cargo("git+https://a.example/o#1"), cargo("git+https://a.example/o#2")],
    [
      "deno test",
      "deno.lock",
      deno({ "jsr:@std/assert@1": "1.0.0", "npm:react-dom@18": "18.2.0_react@18.2.0" }),
      deno({ "jsr:@std/assert@1": "1.1.0", "npm:react-dom@18": "18.3.0_react@18.3.0" }),
    ],
    [
      "deno test",
      "deno.lock",
      JSON.stringify({ version: "3", packages: { specifiers: { "npm:chalk@5": "npm:chalk@5.3.0" } } }),
      deno({ "npm:chalk@5": "5.4.0" }),
    ],
    ["go test ./...", "yarn.lock", yarn1("^29", `${REGISTRY}/jest/-/jest-29.tgz#a`), yarn1("^29", "file:./tools/jest")],
  ])("T-10 honest: %s: %s %#", async (run, path, before, after) => {
    expect(await decides(run, path, before, after)).toBe(false);
  });
});

const project = (inner: string): string => `<Project>\n  <ItemGroup>\n${inner}\n  </ItemGroup>\n</Project>\n`;
const XUNIT = '    <PackageReference Include="xunit" Version="2.9" />';
const FAKE = '    <ProjectReference Include="../xunit/xunit.csproj" />';
const pom = (inner: string): string =>
  `<project><dependencies><dependency><artifactId>junit</artifactId>${inner}</dependency></dependencies></project>`;
const gradle = (inner: string): string => `plugins { id 'java' }\ndependencies {\n  ${inner}\n}\n`;

describe("T-10 code of the repository in the place of a package decides", () => {
  test.each<[string, string, string, string]>([
    ["dotnet test", "T/T.csproj", project(XUNIT), project(FAKE)],
    [
      "dotnet test",
      "T/T.csproj",
      project(XUNIT),
      project('<Reference Include="xunit"><HintPath>lib/xunit.dll</HintPath></Reference>'),
    ],
    [
      "dotnet test",
      "T/T.fsproj",
      project(XUNIT),
      project(`${FAKE}\n    <PackageReference Include="more" Version="1" />`),
    ],
    [
      "mvn test",
      "pom.xml",
      pom("<version>4</version>"),
      pom("<scope>system</scope><systemPath>${basedir}/lib/junit.jar</systemPath>"),
    ],
    [
      "gradle test",
      "build.gradle",
      gradle("testImplementation 'junit:junit:4.13'"),
      gradle("testImplementation project(':junit')"),
    ],
    [
      "gradle test",
      "build.gradle.kts",
      gradle('testImplementation("junit:junit:4.13")'),
      gradle('testImplementation(files("lib/junit.jar"))'),
    ],
  ])("%s: %s %#", async (run, path, before, after) => {
    expect(await decides(run, path, before, after)).toBe(true);
  });

  test.each<[string, string, string, string]>([
    ["dotnet test", "T/T.csproj", project(XUNIT), project(XUNIT.replace("2.9", "3.0"))],
    [
      "dotnet test",
      "T/T.csproj",
      project(XUNIT),
      project(`${XUNIT}\n    <ProjectReference Include="../Own/Own.csproj" />`),
    ],
    ["dotnet test", "T/T.csproj", project(XUNIT), project('    <PackageReference Include="NUnit" Version="4" />')],
    [
      "dotnet test",
      "Directory.Packages.props",
      project('<PackageVersion Include="xunit" Version="2" />'),
      project('<PackageVersion Include="xunit" Version="3" />'),
    ],
    ["mvn test", "pom.xml", pom("<version>4</version>"), pom("<version>5</version>")],
    [
      "gradle test",
      "build.gradle",
      gradle("testImplementation 'junit:junit:4.13'"),
      gradle("testImplementation 'junit:junit:4.14'\n  implementation project(':own')"),
    ],
  ])("T-10 honest: %s: %s %#", async (run, path, before, after) => {
    expect(await decides(run, path, before, after)).toBe(false);
  });
});

const CMAKE = "enable_testing()\nadd_executable(a a.c)\nadd_test(NAME a COMMAND a)\n";
const TEST = "add_test(NAME a COMMAND a)";
const MORE = "add_test(NAME b COMMAND b)";
const swift = (targets: string): string => `let p = Package(name: "a", targets: [${targets}])\n`;
const SWIFT_TEST = '.testTarget(name: "T", dependencies: ["A"])';
const SETUP = "from setuptools import setup\nsetup(name='x', version='1', install_requires=['a'])\n";

const GEMFILE = "source 'https://gems.example'\ngroup :test do\n  gem 'rspec'\nend\n";
const GRADLE = "dependencies {\n  api 'a:a:1'\n}\n";

describe("T-10 programs and files of a build decide", () => {
  test.each<[string, string, string | undefined, string]>([
    ["cargo test", "build.rs", undefined, "fn main() {}"],
    ["cargo test", "build.rs", "fn main() {}", "fn main() { x(); }"],
    ["python3 -m pytest", "setup.py", SETUP, `import evil\n${SETUP}`],
    ["python3 -m pytest", "setup.py", SETUP, SETUP.replace("['a']", "['a @ file:tools/a']")],
    ["python3 -m pytest", "setup.py", SETUP, SETUP.replace("['a']", "[evil(), 'a']")],
    ["python3 -m pytest", "setup.py", SETUP, SETUP.replace("['a']", "['\\'', evil(), '\\'']")],
    ["python3 -m pytest", "setup.py", SETUP, SETUP.replace("['a']", "['''',''', evil(), ''','''']")],
    ["python3 -m pytest", "setup.py", SETUP, SETUP.replace("['a']", "{'a': [f'{evil()}']}")],
    ["bundle exec rspec", "Gemfile", GEMFILE, `${GEMFILE}system 'evil'\n`],
    ["bundle exec rspec", "Gemfile", GEMFILE, `${GEMFILE}gem 'new'; evil\n`],
    ["bundle exec rspec", "Gemfile", GEMFILE, `${GEMFILE}gem "new#{evil}"\n`],
    ["bundle exec rspec", "Gemfile", GEMFILE, `${GEMFILE}gem system 'evil'\n`],
    ["gradle test", "build.gradle", GRADLE, GRADLE.replace("  api", "  new File('x').delete()\n  api")],
    ["gradle test", "build.gradle", GRADLE, GRADLE.replace("  api", "  delete 'x'\n  api")],
    ["gradle test", "build.gradle", GRADLE, GRADLE.replace("'a:a:1'", "delete 'x'")],
    ["gradle test", "build.gradle", GRADLE, GRADLE.replace("'a:a:1'", '"a:${delete(1)}"')],
    ["gradle test", "build.gradle", GRADLE, GRADLE.replace("  api", "  api 'b:b:1', { evil() }\n  api")],
    ["yarn test", ".pnp.cjs", "a", "b"],
    ["yarn test", ".yarn/releases/yarn-4.cjs", "a", "b"],
    ["ctest --test-dir build", "CMakeLists.txt", CMAKE, CMAKE.replace("add_test(NAME a COMMAND a)", "")],
    ["ctest --test-dir build", "CMakeLists.txt", CMAKE, `${CMAKE}set_tests_properties(a PROPERTIES WILL_FAIL TRUE)\n`],
    ["ctest --test-dir build", "CMakeLists.txt", CMAKE, CMAKE.replace("COMMAND a", "COMMAND true")],
    ["ctest --test-dir build", "CMakeLists.txt", CMAKE, CMAKE.replace("COMMAND a", "COMMAND true a")],
    ["ctest --test-dir build", "CMakeLists.txt", CMAKE, CMAKE.replace(TEST, `message("\n${TEST}\n")`)],
    ["ctest --test-dir build", "CMakeLists.txt", CMAKE, CMAKE.replace(TEST, `message(")\n${TEST}\n")`)],
    ["ctest --test-dir build", "CMakeLists.txt", CMAKE, CMAKE.replace(TEST, `#[[\n${TEST}\n#]]`)],
    ["ctest --test-dir build", "PreLoad.cmake", undefined, "message(x)\n"],
    ["ctest --test-dir build", "CTestCustom.cmake", undefined, "message(x)\n"],
    ["meson test -C build", "meson.build", "test('a', exe)\n", "test('a', yes, exe)\n"],
    ["meson test -C build", "meson.build", "test('a', exe)\n", "x = '''\ntest('a', exe)\n'''\n"],
    ["swift test", "Package.swift", swift(SWIFT_TEST), swift(SWIFT_TEST.replace('"A"]', '"A"], sources: ["b"]'))],
    ["swift test", "Package.swift", swift(SWIFT_TEST), swift(`/* ${SWIFT_TEST} */`)],
    ["cmake --build build && ctest", "CMakeLists.txt", CMAKE, `add_compile_definitions(NDEBUG)\n${CMAKE}`],
    ["meson test -C build", "meson.build", "test('a', exe)\n", "test('a', exe, should_fail: true)\n"],
    ["bazel test //...", "lib/BUILD.bazel", "cc_test(name = 'a')\n", ""],
    ["mix test", "mix.exs", "project: [app: :a]", "project: [app: :a, aliases: [test: []]]"],
    ["sbt test", "build.sbt", 'name := "a"', 'name := "a"\nTest / testOptions := Nil'],
    ["sbt test", "project/evil.sbt", undefined, "Test / test := {}"],
  ])("%s: %s %#", async (run, path, before, after) => {
    expect(await decides(run, path, before, after)).toBe(true);
  });

  test.each<[string, string, string | undefined, string]>([
    ["cargo test", "crates/new/build.rs", undefined, "fn main() {}"],
    ["python3 -m pytest", "setup.py", SETUP, SETUP.replace("'1'", "'2'").replace("['a']", "['a', 'b>=2']")],
    [
      "bundle exec rspec",
      "Gemfile",
      GEMFILE,
      `${GEMFILE}gem "new", "~> 1", require: false, group: %i[test]\ngem 'b', path: 'b'\n`,
    ],
    [
      "gradle test",
      "build.gradle",
      GRADLE,
      GRADLE.replace("  api", "  testImplementation(libs.junit)\n  api('b:b:1') { exclude group: 'x' }\n  api"),
    ],
    [
      "gradle test",
      "build.gradle",
      GRADLE,
      GRADLE.replace("  api", "  api platform(\"b:b:$version\")\n  api project(path: ':b')\n  api"),
    ],
    [
      "ctest --test-dir build",
      "CMakeLists.txt",
      CMAKE,
      `${CMAKE}# more\nadd_executable(b b.c)\nadd_test(NAME b COMMAND b)\n`,
    ],
    ["ctest --test-dir build", "CMakeLists.txt", CMAKE, CMAKE.replace("a.c)", "a.c more.c)")],
    ["ctest --test-dir build", "CMakeLists.txt", CMAKE, CMAKE.replace(TEST, `${MORE}\n${TEST}`)],
    ["ctest --test-dir build", "CMakeLists.txt", CMAKE, `${CMAKE}file(GLOB more "src/*.c" lib/**/*.c)\n`],
    [
      "swift test",
      "Package.swift",
      swift(SWIFT_TEST),
      swift(`.target(name: "B"), ${SWIFT_TEST}, .testTarget(name: "U")`),
    ],
    ["ctest --test-dir build", "lib/CMakeLists.txt", undefined, "add_library(x x.c)\n"],
    ["meson test -C build", "meson.build", "exe = executable('a', 'a.c')\n", "exe = executable('a', 'a.c', 'b.c')\n"],
    ["bazel test //...", "lib/BUILD.bazel", "cc_test(name = 'a')\n", "cc_test(name = 'a')\ncc_test(name = 'b')\n"],
    ["mix test", "mix.exs", "[{:a, '1'}]", "[{:a, '1'}, {:b, '2'}]"],
    ["npm test", "CMakeLists.txt", CMAKE, ""],
  ])("T-10 honest: %s: %s %#", async (run, path, before, after) => {
    expect(await decides(run, path, before, after)).toBe(false);
  });
});
