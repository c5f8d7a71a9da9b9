import { expect, test } from "vitest";
import { changesOf, type Files, filesLook } from "../../../test/files-look.ts";
import type { FileChange } from "../../domain/change.ts";
import { DEFAULT_TEST_FILES } from "../../domain/test-files.ts";
import { decidingChanges, lostGates } from "../gate.ts";

/** What decides a command among these changes; `undefined` deletes a file. */
async function deciding(
  run: string,
  base: Files,
  { edit, changes }: { readonly edit: Readonly<Record<string, string | undefined>>; readonly changes?: FileChange[] },
): Promise<string[]> {
  const all = Object.entries({ ...base, ...edit });
  const after = Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined));
  const found = await decidingChanges({
    gates: [{ id: "g", run }],
    base: filesLook(base),
    candidate: filesLook(after),
    changes: changes ?? changesOf(base, after),
    testFiles: DEFAULT_TEST_FILES,
  });
  return found.map(({ kind, path }) => `${kind} ${path}`);
}

const makeFile = (check: string, unit: string): Files => ({
  Makefile: `check: ${check}\nunit:\n\t${unit}\nlint:\n\tlint\n`,
});
const MAKE = makeFile("unit lint", "pytest $(FLAGS)");

test.each<[string, string, Files, Readonly<Record<string, string | undefined>>, string[]]>([
  ["a prerequisite is gone", "make check", MAKE, makeFile("unit", "pytest $(FLAGS)"), ["definition Makefile"]],
  [
    "a recipe starts a new file",
    "make check",
    MAKE,
    { ...makeFile("unit lint", "./quiet.sh pytest $(FLAGS)"), "quiet.sh": "" },
    ["definition Makefile"],
  ],
  [
    "a variable gets a flag",
    "make check",
    { Makefile: "FLAGS = -v\ncheck:\n\tpytest $(FLAGS)\n" },
    { Makefile: "FLAGS = -v --co\ncheck:\n\tpytest $(FLAGS)\n" },
    ["definition Makefile"],
  ],
  [
    "settings that only their tool can read",
    "pytest",
    { "pyproject.toml": '[project]\nname = "a"\n' },
    { "pyproject.toml": '[project]\nname = "a"\nx = [\n[tool.pytest.ini_options]\naddopts = "--co"\n' },
    ["configuration pyproject.toml"],
  ],
  [
    "a package loses its manifest and keeps its files",
    "npm test --workspaces --if-present",
    {
      "package.json": '{"workspaces":["packages/*"]}',
      "packages/a/package.json": '{"name":"a","scripts":{"test":"sh a.sh"}}',
      "packages/a/a.sh": "x",
    },
    { "packages/a/package.json": undefined },
    ["definition packages/a/package.json"],
  ],
  [
    "a gate whose script is new brings its settings",
    "npm test && npx tsc",
    { "README.md": "" },
    { "package.json": '{"scripts":{"test":"true"}}', "tsconfig.json": "{}" },
    ["test package.json", "test tsconfig.json"],
  ],
])("T-10 decides: %s", async (_name, run, base, edit, expected) => {
  expect(await deciding(run, base, { edit })).toEqual(expected);
});

test("T-10 a check that is no program any more decides, too", async () => {
  const state = (mode: string) => ({ mode, hash: "x" });
  const mode = (path: string): FileChange => ({ path, kind: "mode", before: state("100755"), after: state("100644") });
  const files = { "check.sh": "x", "a.sh": "x" };
  const changes = [mode("check.sh"), mode("a.sh")];
  expect(await deciding("./check.sh", files, { edit: {}, changes })).toEqual(["definition check.sh"]);
});

test("T-10 a gate that discovery would start otherwise is lost", async () => {
  const scripts = { scripts: { test: "vitest run" } };
  const base = { "package.json": JSON.stringify(scripts), "README.md": "" };
  const after = { "package.json": JSON.stringify({ ...scripts, packageManager: "pnpm@9.0.0" }), "README.md": "x" };
  const request = { base: filesLook(base), candidate: filesLook(after), changes: changesOf(base, after) };
  expect((await lostGates(request)).map(({ path, why }) => `${path}: ${why}`)).toEqual([
    "package.json: gate test would start `CI=1 pnpm run test`",
  ]);
});

const CRATES: Files = {
  "Cargo.toml": '[workspace]\nmembers = ["a", "b"]\n',
  "a/Cargo.toml": '[package]\nname = "a"\n',
  "b/Cargo.toml": '[package]\nname = "b"\n',
  "b/src/lib.rs": "x",
};
const PACKAGES: Files = {
  "package.json": '{"workspaces":["a","b"]}',
  "a/package.json": '{"name":"a","scripts":{"test":"node --test"}}',
  "b/package.json": '{"name":"b","scripts":{"test":"node --test"}}',
};
const SCRIPTS: Files = {
  "tsconfig.json": '{"include":["src","old"],"references":[{"path":"./a"},{"path":"./b"}]}',
  "src/a.ts": "x",
  "old/a.ts": "x",
  "b/tsconfig.json": "{}",
};

test.each<[string, Files, Readonly<Record<string, string | undefined>>, string]>([
  [
    "cargo test --workspace",
    CRATES,
    { "Cargo.toml": '[workspace]\nmembers = ["a"]\n', "b/Cargo.toml": undefined, "b/src/lib.rs": undefined },
    "Cargo.toml",
  ],
  [
    "npm test --workspaces",
    PACKAGES,
    { "package.json": '{"workspaces":["a"]}', "b/package.json": undefined },
    "package",
  ],
  [
    "tsc -p .",
    SCRIPTS,
    {
      "tsconfig.json": '{"include":["src"],"references":[{"path":"./a"}]}',
      "old/a.ts": undefined,
      "b/tsconfig.json": undefined,
    },
    "tsconfig.json",
  ],
])(
  "T-10 a list may lose what is deleted as a whole, and nothing that is still there: %s",
  async (run, base, edit, path) => {
    const isAsked = async (changed: typeof edit): Promise<boolean> =>
      (await deciding(run, base, { edit: changed })).some(
        (one) => !one.startsWith("test ") && one.includes(` ${path}`),
      );
    const kept = Object.fromEntries(Object.entries(edit).filter(([, text]) => text !== undefined));
    expect([await isAsked(edit), await isAsked(kept)]).toEqual([false, true]);
  },
);
