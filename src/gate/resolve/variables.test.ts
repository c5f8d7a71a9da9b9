import { expect, test } from "vitest";
import { type Files, filesLook } from "../../../test/files-look.ts";
import { resolveGate } from "./resolve-gate.ts";

const FILES: Files = {
  "more.mk": "",
  "hooks/first.cjs": "",
  "tools/plugin.py": "",
  "app/hooks/first.cjs": "",
  "src/register.js": "",
  "data.json": "",
  "check.sh": "export NODE_OPTIONS='--require ./hooks/first.cjs'\nnode --test\n",
};

const named = async (run: string, files: Files = {}, folder = ""): Promise<string[]> =>
  (await resolveGate(run, filesLook({ ...FILES, ...files }), folder)).decides.map(({ path }) => path);

test.each<[string, string]>([
  ["MAKEFILES=more.mk make check", "more.mk"],
  ["MAKEFILES=local.mk make check", "local.mk"],
  ["NODE_OPTIONS='--max-old-space-size=4096 --import=./hooks/first.cjs' node --test", "hooks/first.cjs"],
  ['cross-env NODE_OPTIONS="-r ./hooks/first" jest', "hooks/first.cjs"],
  ["sh check.sh", "hooks/first.cjs"],
  ["PYTEST_ADDOPTS='-p tools.plugin' pytest", "tools/plugin.py"],
  ["cd app && NODE_OPTIONS=--require=./hooks/first.cjs node --test", "app/hooks/first.cjs"],
])("T-10 a file that a variable loads decides: %s", async (run, path) => {
  expect(await named(run)).toContain(path);
});

test("T-10 so does one that a file of variables names", async () => {
  const files = {
    ".env": "NODE_OPTIONS=--require ./hooks/first.cjs\n",
    ".npmrc": "node-options=--require ./more.mk\n",
  };
  const env = { ".env": 'NODE_OPTIONS="--require ./hooks/first.cjs"\n' };
  expect(await named("node --env-file=.env --test", env)).toEqual(expect.arrayContaining([".env", "hooks/first.cjs"]));
  expect(await named("npm test", { ...files, "package.json": '{"scripts":{"test":"x"}}' })).toContain("more.mk");
});

test("T-10 other variables name the work, and a package is none of ours", async () => {
  expect(await named("DATA=data.json NODE_OPTIONS='--require dotenv/config' run-all")).toEqual([]);
  expect(await named("NODE_OPTIONS=--import=./src/register.js run-all")).toEqual([]);
});
