import { describe, expect, test } from "vitest";
import { filesLook } from "../../../test/files-look.ts";
import { hasMoreLines, isReadData } from "./read-data.ts";
import { walkGate } from "./resolve-gate.ts";

const MAKE = 'WANT := $(shell cat want)\nALSO := $(file <also)\ncheck:\n\ttest "$$(cat sum)" = $(WANT) -a $(ALSO)\n';
const LOOP = "for f in cases/*.in; do sh src/run.sh <$f | cmp - ${f%.in}.out; done\n";
const FILES = {
  Makefile: MAKE,
  "loop.sh": LOOP,
  "tools/check.js": "const most = read('limits.json');\n",
  "check.py": "most = open('limits.txt').read()\n",
};

const isRead = async (run: string, path: string): Promise<boolean> =>
  isReadData(path, (await walkGate(run, filesLook(FILES), { folder: "" })).reads);

describe("T-11 data that checks read", () => {
  test.each([
    ["cmp sum want", "want"],
    ["diff -r one two", "two/a/b"],
    ['test "$(cat sum)" = "$(cat want)"', "want"],
    ['test "$(<want)" = 4', "want"],
    ["./run <want", "want"],
    ["jq -e --slurpfile w want.json . sum.json", "want.json"],
    ["ajv validate --schema=schema.json", "schema.json"],
    ["make check", "want"],
    ["make check", "also"],
    ["sh loop.sh", "cases/1.out"],
    ["node tools/check.js", "limits.json"],
    ["python3 check.py", "limits.txt"],
  ])("T-11 `%s` reads %s", async (run, path) => {
    expect(await isRead(run, path)).toBe(true);
  });

  test.each([
    ["cc -o out a.c b.c", "b.c"],
    ["diff - docs/page.md", "docs/page.md"],
    ["cmp src/a.json dist/a.json", "src/a.json"],
    ['test "$(cat VERSION)" = 1', "VERSION"],
    ["jq . package.json", "package.json"],
    ["yamllint charts", "charts/a.yaml"],
    ["cmp sum want", "other"],
  ])("T-11 `%s` and other files: %s", async (run, path) => {
    expect(await isRead(run, path)).toBe(false);
  });

  test.each([
    ["a\nb\n", "a\nx\nb\n", true],
    ['{\n  "a": 1\n}', '{\n  "a": 1,\n  "b": 2\n}', true],
    ["a\nb\n", "b\na\n", false],
    ["a\nb\n", "a\n", false],
    ["4\n", "5\n", false],
  ])("T-11 %j and then %j", (before, after, expected) => {
    expect(hasMoreLines(before, after)).toBe(expected);
  });
});
