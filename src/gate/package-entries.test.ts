import { expect, test } from "vitest";
import { filesLook } from "../../test/files-look.ts";
import { withOldEntries } from "./package-entries.ts";

const FILES = { "src/a.js": "", "src/b.js": "", "src/mock.js": "" };

/** The entries that a second run restores. */
async function restored(before: object, after: object, gone: readonly string[] = []): Promise<unknown> {
  const left = Object.fromEntries(Object.entries(FILES).filter(([path]) => !gone.includes(path)));
  const base = filesLook({ ...FILES, "package.json": JSON.stringify(before) });
  const candidate = filesLook({ ...left, "package.json": JSON.stringify(after) });
  const text = await withOldEntries("package.json", { base, candidate });
  return text === undefined ? undefined : JSON.parse(text);
}

test("T-11 an entry of a package that leads to another file is restored, with all else that is new", async () => {
  const main = { main: "./src/a.js" };
  expect(await restored(main, { main: "src/b.js", version: "2" })).toEqual({ ...main, version: "2" });
  const exported = { exports: { ".": "./src/a.js" } };
  const mocked = { exports: { ".": { test: "./src/mock.js", default: "./src/a.js" } } };
  expect(await restored(exported, mocked)).toEqual(exported);
  const imports = { imports: { "#all/*": "./src/*.js" } };
  expect(await restored(imports, { imports: { "#all/*": "./mocks/*.js" } })).toEqual(imports);
});

test("T-11 a new entry, one whose file has moved, and the same entry in another form are free", async () => {
  const exported = { exports: { ".": "./src/a.js" } };
  expect(await restored(exported, { exports: { ".": "./src/a.js", "./b": "./src/b.js" } })).toBeUndefined();
  expect(await restored(exported, { exports: { ".": "./lib/a.js" } }, ["src/a.js"])).toBeUndefined();
  expect(await restored({ name: "x" }, { name: "x", main: "src/b.js" })).toBeUndefined();
  expect(await restored(exported, { ...exported, scripts: { a: "b" } })).toBeUndefined();
});
