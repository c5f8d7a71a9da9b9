import { describe, expect, test } from "vitest";
import { changesOf, type Files, filesLook } from "../../test/files-look.ts";
import { lostGates } from "./gate.ts";

const scripts = (all: object): string => JSON.stringify({ scripts: all });

const lost = async (before: Files, after: Files) =>
  (await lostGates({ base: filesLook(before), candidate: filesLook(after), changes: changesOf(before, after) })).map(
    ({ path, why }) => `${path}: ${why}`,
  );

describe("T-10 gates that discovery would lose", () => {
  test("additions are free: a script that runs the gates, one that nobody chooses, a linter, a make target", async () => {
    const before = { "package.json": scripts({ lint: "eslint .", test: "vitest run" }), "go.mod": "module x" };
    for (const after of [
      {
        ...before,
        "package.json": scripts({ lint: "eslint .", test: "vitest run", check: "npm run lint && npm test" }),
      },
      { ...before, "package.json": scripts({ lint: "eslint .", test: "vitest run", "test:unit": "vitest a" }) },
      { ...before, Makefile: "lint:\n\tgolangci-lint run\ntest:\n\tgo test ./...\n" },
      { ...before, ".github/workflows/ci.yml": "on: [push]\njobs: { a: { steps: [{ run: go vet ./... }] } }\n" },
    ]) {
      expect(await lost(before, after)).toEqual([]);
    }
  });

  test("a first or further member of a workspace, and a target that runs the gate and more", async () => {
    const crate = '[package]\nname = "a"\n';
    const make = "test:\n\tsh tests/all.sh\n";
    const work = (...folders: string[]): Files => ({
      "go.work": `go 1.22\n\nuse (\n${folders.map((folder) => `\t./${folder}\n`).join("")})\n`,
      ...Object.fromEntries(folders.map((folder) => [`${folder}/go.mod`, `module ${folder}\n`])),
    });
    for (const [before, after] of [
      [{ "Cargo.toml": crate }, { "Cargo.toml": `${crate}\n[workspace]\nmembers = ["b"]\n`, "b/Cargo.toml": crate }],
      [work("a"), work("a", "b")],
      [{ Makefile: make }, { Makefile: `check: lint test\nlint:\n\tsh lint.sh\n${make}` }],
    ] as const) {
      expect(await lost(before, after)).toEqual([]);
    }
    expect(await lost(work("a", "b"), work("a"))).toEqual(["go.work: gate go-test would start `go test ./a/...`"]);
    expect(await lost({ Makefile: make }, { Makefile: `check:\n\tsh lint.sh\n${make}` })).toEqual([
      "Makefile: gate make-test would be gone",
    ]);
  });

  test("what takes the place of a gate counts, and only the path that does it is named", async () => {
    const before = { "package.json": scripts({ "test:unit": "vitest run" }), "go.mod": "module x", "a.txt": "" };
    const after = {
      "package.json": scripts({ "test:unit": "vitest run", test: "true" }),
      "go.mod": "module x",
      "a.txt": "x",
      Makefile: "test:\n\tgo test ./a || true\n",
    };
    expect(await lost(before, after)).toEqual([
      "package.json: gate test-unit would be gone, gate go-test would be gone",
      "Makefile: gate test-unit would be gone, gate go-test would be gone",
    ]);
  });

  test("a file by which a kind of project is known", async () => {
    const before = { gradlew: "", "build.gradle": "", "a.txt": "" };
    expect(await lost(before, { "build.gradle": "", "a.txt": "x" })).toEqual([
      "gradlew: gate gradle would start `gradle check`",
    ]);
  });
});
