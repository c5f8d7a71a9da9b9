import type { PinnedGate } from "../../domain/gate.ts";
import type { Found, LeftOutCheck, Project, Source } from "../source.ts";
import { ciCommand } from "./ci-command.ts";

/** A gate that a file tells of by being there. */
interface Entry {
  readonly id: string;
  /** The name of a file in the top folder. */
  readonly file: RegExp;
  readonly run: string;
  /** The file has to say this, too. */
  readonly says?: RegExp;
  /** There has to be such a folder. */
  readonly folder?: string;
  /** CI has to run it, and is believed in how. */
  readonly ci?: RegExp;
  /** With such a gate it is not needed. */
  readonly unless?: RegExp;
  readonly why: string;
}

/** What their users type. A new kind of project is one line here. */
const ENTRIES: readonly Entry[] = [
  { id: "maven", file: /^mvnw$/, run: "./mvnw -B verify", why: "the wrapper has the version that the project wants" },
  {
    id: "maven",
    file: /^pom\.xml$/,
    run: "mvn -B verify",
    why: "verify runs unit and integration tests, and all checks bound to it",
  },
  {
    id: "gradle",
    file: /^gradlew$/,
    run: "./gradlew check",
    unless: /^maven$/,
    why: "check runs the tests and all linters",
  },
  {
    id: "gradle",
    file: /^build\.gradle(?:\.kts)?$/,
    run: "gradle check",
    unless: /^maven$/,
    why: "check runs the tests and all linters",
  },
  {
    id: "mix-format",
    file: /^\.formatter\.exs$/,
    run: "mix format --check-formatted",
    why: "a project with a formatter file is formatted",
  },
  {
    id: "mix-compile",
    file: /^mix\.exs$/,
    run: "",
    ci: /^mix compile .*--warnings-as-errors/,
    why: "some allow no warnings",
  },
  { id: "mix-credo", file: /^mix\.exs$/, run: "", ci: /^mix credo\b/, why: "a linter that has to be installed" },
  { id: "mix-test", file: /^mix\.exs$/, run: "mix test", why: "the tests of every project of mix" },
  {
    id: "dotnet-format",
    file: /\.(?:slnx?|[cf]sproj)$|^global\.json$/,
    run: "",
    ci: /^dotnet format\b/,
    why: "red in a project that does not use it",
  },
  { id: "dotnet-test", file: /\.(?:slnx?|[cf]sproj)$/, run: "dotnet test", why: "builds, then runs all test projects" },
  { id: "zig-fmt", file: /^build\.zig$/, run: "", ci: /^zig fmt\b/, why: "red in a project that does not use it" },
  {
    id: "zig-test",
    file: /^build\.zig$/,
    run: "zig build test",
    says: /\bstep\(\s*"test"/,
    why: "the step that build.zig names",
  },
  { id: "zig-build", file: /^build\.zig$/, run: "zig build", unless: /^zig-test$/, why: "there is no step for tests" },
  { id: "swift-test", file: /^Package\.swift$/, run: "swift test", folder: "Tests", why: "all test targets" },
  {
    id: "swift-build",
    file: /^Package\.swift$/,
    run: "swift build",
    unless: /^swift-test$/,
    why: "there are no tests",
  },
  {
    id: "ctest",
    file: /^CMakeLists\.txt$/,
    run: "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure",
    says: /\b(?:enable_testing|include\s*\(\s*CTest|add_test|_TEST|TESTS?\b)/i,
    unless: /^swift/,
    why: "configure, build, then all tests",
  },
  {
    id: "cmake-build",
    file: /^CMakeLists\.txt$/,
    run: "cmake -S . -B build && cmake --build build",
    unless: /^(?:ctest|swift)/,
    why: "there are no tests",
  },
  {
    id: "make-check",
    file: /^autogen\.sh$/,
    run: "./autogen.sh && ./configure && make check",
    folder: "configure.ac",
    unless: /^(?:ctest|cmake|swift)/,
    why: "the project's own way to make configure",
  },
  {
    id: "make-check",
    file: /^configure\.ac$/,
    run: "autoreconf --install && ./configure && make check",
    unless: /^(?:ctest|cmake|swift)/,
    why: "GNU's three steps",
  },
];

/** One gate of each id: the first that fits. */
export const byFile: Source = async (project): Promise<Found> => {
  const gates: PinnedGate[] = [];
  const leftOut: LeftOutCheck[] = [];
  for (const entry of ENTRIES) {
    const file = project.names.find((name) => entry.file.test(name));
    if (file === undefined || gates.some(({ id }) => id === entry.id) || !(await fits(project, entry, file))) continue;
    const run = entry.ci === undefined ? entry.run : ciCommand(project, entry.ci);
    if (run === undefined) continue;
    const other = gates.find(({ id }) => entry.unless?.test(id) === true);
    if (other === undefined) gates.push({ id: entry.id, run, script: undefined, at: file });
    else if (other.id === "maven" && leftOut.length === 0) {
      leftOut.push({ what: run, at: file, why: "the project has a Maven build, too, which runs instead" });
    }
  }
  return { gates, leftOut };
};

async function fits({ look, names }: Project, { says, folder }: Entry, file: string): Promise<boolean> {
  if (folder !== undefined && !names.includes(folder)) return false;
  return says === undefined || says.test((await look.text(file)) ?? "");
}
