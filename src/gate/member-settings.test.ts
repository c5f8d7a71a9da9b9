import { expect, test } from "vitest";
import { changesOf, type Files, filesLook } from "../../test/files-look.ts";
import { DEFAULT_TEST_FILES } from "../domain/test-files.ts";
import { decidingChanges } from "./gate.ts";

const TOP: Files = {
  "package.json": JSON.stringify({ workspaces: ["packages/*"], scripts: { test: "check-all", serve: "shop" } }),
  "tsconfig.json": JSON.stringify({ extends: "@me/tsconfig/base.json" }),
  "eslint.config.js": "import mine from '@me/eslint-config';\nimport js from '@eslint/js';\nexport default mine;\n",
  "vitest.config.ts": "import { plugin } from '@me/vite-plugin';\nexport default { plugins: [plugin] };\n",
  ".prettierrc": '"@me/prettier"\n',
  "packages/tsconfig/package.json": JSON.stringify({ name: "@me/tsconfig" }),
  "packages/tsconfig/base.json": "{}",
  "packages/lint/package.json": JSON.stringify({ name: "@me/eslint-config", exports: { ".": "./all.js" } }),
  "packages/lint/all.js": "export { default } from './rules/all.js';\n",
  "packages/lint/rules/all.js": "export default [1];\n",
  "packages/vite-plugin/package.json": JSON.stringify({ name: "@me/vite-plugin", main: "index.js" }),
  "packages/vite-plugin/index.js": "export const plugin = 1;\n",
  "packages/tools/package.json": JSON.stringify({ name: "tools", bin: { "check-all": "./run.js" } }),
  "packages/tools/run.js": "start();\n",
  "packages/shop/package.json": JSON.stringify({ name: "shop", bin: "./run.js" }),
  "packages/shop/run.js": "start();\n",
};

const changed = async (run: string, path: string): Promise<string[]> => {
  const after = { ...TOP, [path]: path.endsWith("json") ? '{"a":1}' : "other();\n" };
  const looks = { base: filesLook(TOP), candidate: filesLook(after) };
  const request = {
    gates: [{ id: "g", run }],
    ...looks,
    changes: changesOf(TOP, after),
    testFiles: DEFAULT_TEST_FILES,
  };
  return (await decidingChanges(request)).map(({ kind }) => kind);
};

test.each([
  ["npx tsc --noEmit", "packages/tsconfig/base.json", "configuration"],
  ["npx eslint .", "packages/lint/all.js", "configuration"],
  ["npx eslint .", "packages/lint/rules/all.js", "configuration"],
  ["npm test", "packages/tools/run.js", "definition"],
])("T-10 settings and checks of packages of the workspace decide: %s, %s", async (run, path, kind) => {
  expect(await changed(run, path)).toEqual([kind]);
});

test.each([
  ["npx vitest run", "packages/vite-plugin/index.js"],
  ["npx prettier --check .", "packages/tsconfig/base.json"],
  ["npm run serve", "packages/shop/run.js"],
])("T-10 other packages are the work: %s, %s", async (run, path) => {
  expect(await changed(run, path)).toEqual([]);
});
