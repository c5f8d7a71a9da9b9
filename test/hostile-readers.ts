import * as harnesses from "../src/harness/index.ts";
import * as planFormats from "../src/plan/index.ts";
import { PlanError, type PlanFormat } from "../src/plan/plan.ts";
import { readYaml } from "../src/system/yaml-text.ts";
import { printable, printableLine, stripAnsi } from "../src/domain/printable.ts";
import { createRedactor } from "../src/domain/redact.ts";
import { readEventLine } from "../src/domain/run/event-line.ts";
import { readCompletion } from "../src/domain/sigil/read-completion.ts";
import { readReview } from "../src/domain/sigil/read-review.ts";
import { readSigils, stripSigils } from "../src/domain/sigil/read-sigils.ts";
import { session } from "../bench/harness-session.ts";
import { type Files, filesLook } from "./files-look.ts";
import type { FileChange } from "../src/domain/change.ts";
import { hasConflictMarkers } from "../src/domain/conflict-markers.ts";
import { failureKind } from "../src/domain/failure-kind.ts";
import { withOldInlineTests } from "../src/domain/inline-tests.ts";
import { includedBy } from "../src/domain/instruction-files.ts";
import { askIfTested } from "../src/domain/knows-tests.ts";
import { ranNoTests } from "../src/domain/no-tests.ts";
import { withShortLines } from "../src/domain/short-lines.ts";
import { exitOf, forgedEndOf, patchOfTests } from "../src/domain/switched-off.ts";
import { testCount } from "../src/domain/test-count.ts";
import { DEFAULT_TEST_FILES } from "../src/domain/test-files.ts";
import { decidingChanges, discoverIn, resolveGate } from "../src/gate/gate.ts";

/** Reads a text that somebody else wrote: an agent, or the author of a repository. It throws nothing but a RalphError. */
export type Reader = (text: string) => unknown;

const state = { mode: "100644", hash: "x" };

/** A file of the base that the candidate fills with a text, and a gate that reads it. */
const changed =
  (run: string, path: string, old = "a\n"): Reader =>
  async (text) => {
    const base: Files = { [path]: old, "check.sh": "sh ci.sh\n" };
    const looks = { base: filesLook(base), candidate: filesLook({ ...base, [path]: text }) };
    const changes: FileChange[] = [{ path, kind: "modified", before: state, after: state }];
    await decidingChanges({ gates: [{ id: "g", run }], ...looks, changes, testFiles: DEFAULT_TEST_FILES });
  };

/** The same once it has landed: then the base holds the text, and gates are followed through it. */
const landed =
  (run: string, path: string): Reader =>
  async (text) =>
    void (await resolveGate(run, filesLook({ [path]: text })));

const planReader =
  (format: PlanFormat): Reader =>
  (text) => {
    try {
      return format.read(text);
    } catch (error) {
      if (error instanceof PlanError) return undefined;
      throw error;
    }
  };

const ofSource =
  (path: string): Reader =>
  (text) => {
    const source = { path, before: "", after: withShortLines(text) };
    return [patchOfTests(source, false), exitOf(source), forgedEndOf(source), askIfTested(source)];
  };

export const READERS: Readonly<Record<string, Reader>> = {
  ...Object.fromEntries(
    [
      ["mvn test", "pom.xml"],
      ["gradle test", "build.gradle"],
      ["dotnet test", "a.csproj"],
      ["dotnet test", "Directory.Packages.props"],
      ["bundle exec rspec", "Gemfile"],
      ["bundle exec rspec", "Gemfile.lock"],
      ["pytest", "requirements.txt"],
      ["pytest", "setup.py"],
      ["pytest", "setup.cfg"],
      ["pytest", "pyproject.toml"],
      ["pytest", "conftest.py"],
      ["poetry run pytest", "poetry.lock"],
      ["ctest", "CMakeLists.txt"],
      ["yarn test", "yarn.lock"],
      ["pnpm test", "pnpm-lock.yaml"],
      ["jest", "jest.config.js"],
      ["tsc", "tsconfig.json"],
      ["go test ./...", "go.mod"],
      ["make check", "Makefile"],
      ["sh ci.sh", "ci.sh"],
    ].map(([run, path]) => [`${run} with a changed ${path}`, changed(run!, path!)]),
  ),
  ...Object.fromEntries(
    [
      ["sh ci.sh", "ci.sh"],
      ["make check", "Makefile"],
      ["just check", "justfile"],
      ["node check.js", "check.js"],
      ["python3 check.py", "check.py"],
      ["ruby check.rb", "check.rb"],
      ["jest", "jest.config.js"],
      ["pytest", "conftest.py"],
      ["pytest", "pytest.ini"],
      ["npm test", ".env"],
      ["npm test", ".npmrc"],
      ["tox", "tox.ini"],
    ].map(([run, path]) => [`${run} with a landed ${path}`, landed(run!, path!)]),
  ),
  "npm test with a landed script": async (text) =>
    void (await resolveGate("npm test", filesLook({ "package.json": JSON.stringify({ scripts: { test: text } }) }))),
  ...Object.fromEntries(
    ["a.js", "a.py", "a.rb", "a.go", "a.rs", "a.java", "a.php", "a.c"].map((path) => [
      `source ${path}`,
      ofSource(path),
    ]),
  ),
  ...Object.fromEntries(
    ["a.rs", "a.zig", "a.ts"].map((path) => [
      `tests inside of ${path}`,
      (text: string) => withOldInlineTests({ path, before: text, after: `${text}\n!` }),
    ]),
  ),
  ...Object.fromEntries(
    ["Makefile", "package.json", "Rakefile", ".github/workflows/ci.yml", "pyproject.toml", "justfile"].map((path) => [
      `gates found in ${path}`,
      async (text: string) => void (await discoverIn(filesLook({ [path]: text }))),
    ]),
  ),
  "counts of tests": testCount,
  "the kind of a failure": failureKind,
  "no tests": (text) => ranNoTests(text, 1, undefined),
  "conflict markers": (text) => hasConflictMarkers("a.md", text),
  "included instructions": includedBy,
  ...Object.fromEntries(
    Object.values(planFormats).map((format): [string, Reader] => [
      `the plan format ${format.name}`,
      planReader(format),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(harnesses).map(([name, harness]): [string, Reader] => [
      `the output of ${name}`,
      (text) => {
        const reader = harness.reader(session);
        for (const line of text.split("\n")) reader.line(line);
        return reader.end({ code: 1, signal: null, atMs: 0, stderr: text, files: {} });
      },
    ]),
  ),
  "sigils of a final message": (text) => [
    readSigils(text, text),
    readReview(text),
    readCompletion(text),
    stripSigils(text),
  ],
  "what may be printed": (text) => [printable(text), printableLine(text), stripAnsi(text)],
  YAML: readYaml,
  "a line of an event log": readEventLine,
  "secrets in a text": createRedactor({ A_KEY: "-----BEGIN" }, { rules: { variables: [], forms: ["a*"], allow: [] } }),
  "settings in a file": (text) => createRedactor({}, { files: [text] }),
};

const WORDS =
  "do done while for if then fi case esac test [ [[ ( { < > | ; & $( ${ ${{ ` \" ' \\ # // /* * <!-- = : , . - + @ ! ? % a 0 _ \n \t".split(
    " ",
  );
/** Pieces of which hostile texts are made. */
export const UNITS = [
  ...WORDS.flatMap((word) => [word, `${word} `, `${word}\n`]),
  " ",
  "\n",
  "\t\n",
  "done < <(",
  "while read f; do ",
  "[ -f a ] || ",
  "[ -f a ]; then ",
  "if [ -f a ]; then\n",
  "cat <<A\n",
  "<dependencies>",
  "<version>",
  "<PackageReference ",
  '<PackageReference Include="a">',
  "<ProjectReference ",
  "dependencies {\n",
  "version = ",
  "install_requires=[",
  "gem (",
  "a:\n",
  "a: b\n\t@true\n",
  "a = b\n",
  "define a\n",
  "ifeq (a,b)\n",
  "else ifeq (a,b)\nc = d\n",
  "$(eval ",
  "$(call a,",
  "[a]\n",
  "[[a]]\nb = 1\n",
  'a = """',
  "a = [",
  "  resolution: {",
  '"a@1":\n',
  "@pytest.fixture\ndef a(",
  "def __eq__(",
  "fn eq(&self ",
  "require(",
  "import(",
  "import a ",
  "from a import (",
  'sys.path.insert(0, "',
  "PATH = [\n",
  "os.environ['PATH'] = ",
  "process.on('exit', ",
  "extends Number ",
  "[Symbol.toPrimitive] (",
  "if __name__ == 1\n",
  "func init() {",
  "#[cfg(test)]\n",
  "#[cfg(test)] mod a {",
  "#[cfg(test)]\nmod a {\n",
  'test "a" {}\n',
  "process.exit(0)\n",
  "tried to access ",
  "import a, {",
  "test {",
  "if (import.meta.vitest) {",
  'r#"',
  "1 passed, ",
  "test result: ok. 1 passed",
  "Tests run: 1, ",
  "assertion ",
  "expected: a\n",
  "not ok 1 a\n# a\n",
  "<<<<<<< a\n",
  "=======\n",
  "- run: a\n",
  "- run: |\n    a\n",
  "MAKEFILES=",
  "setupFiles: [",
  "-p ",
  "--require ",
  "task [",
  "{posargs:",
];
