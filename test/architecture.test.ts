import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { processMentions, repeatedTypes, shortWaits, violations } from "./architecture.ts";
import { layers } from "./layers.ts";

const read = (root: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, encoding: "utf8" })
      .map((path) => path.replaceAll("\\", "/"))
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => [path, readFileSync(`${root}/${path}`, "utf8")]),
  );

const all = read("src");
const inFolders = Object.fromEntries(Object.entries(all).filter(([path]) => path.includes("/")));

describe("layers", () => {
  test("imports follow the table", () => {
    expect(violations(inFolders)).toEqual([]);
  });

  test("every folder is in the table, and the table names no other", () => {
    const folders = new Set(Object.keys(inFolders).map((path) => path.split("/")[0]!));
    expect([...folders].sort()).toEqual(Object.keys(layers).sort());
  });

  test("the table has no cycle: a folder may only use folders above it in the table", () => {
    const order = Object.keys(layers);
    const upward = order.flatMap((from) => layers[from]!.filter((to) => order.indexOf(to) >= order.indexOf(from)));
    expect(upward).toEqual([]);
  });

  test("nothing but bin.ts knows the environment, the streams or the end of the process", () => {
    expect(processMentions(all)).toEqual([]);
  });

  test("ARCHITECTURE.md shows the same table", () => {
    const rows = readFileSync("ARCHITECTURE.md", "utf8").matchAll(/^\| `(\w+)` \| ([^|]*) \|/gm);
    const shown = Object.fromEntries(
      Array.from(rows, ([, from = "", to = ""]) => [from, Array.from(to.matchAll(/`(\w+)`/g), ([, name]) => name)]),
    );
    expect(shown).toEqual(layers);
  });

  test("the check can fail", () => {
    const planted = {
      "domain/task.ts": 'import { join } from "node:path";',
      "system/files.ts": 'import { runInit } from "../app/init.ts";',
      "app/init.ts": 'import { parseYaml } from "../config/load.ts";',
      "cli/main.ts": 'const { loadConfig } = await import("../config/config.ts");',
      "app/prompt.ts": 'import { readFileSync } from "node:fs";',
    };
    expect(violations(planted)).toHaveLength(5);
    expect(processMentions({ "app/init.ts": "process.exit(1)", "domain/x.ts": "console.log(1)" })).toHaveLength(2);
  });
});

describe("T-40 the person's work", () => {
  /** Files outside git's own folder that restore files or move a branch. */
  const restoring = (files: Readonly<Record<string, string>>): string[] =>
    Object.entries(files)
      .filter(([path]) => !path.startsWith("system/git/") && !/\.(test|contract)\.ts$/.test(path))
      .filter(([, text]) => /\b(restoreFiles|putHead|putIndex|quitOperation)\b/.test(text))
      .map(([path]) => path);

  test("T-40 two files restore files of a tree: one saves the tree first, one works where nothing of the person's is", () => {
    expect(restoring(all).sort()).toEqual(["app/lanes/take-work.ts", "lane/take-back.ts"]);
  });

  test("the check can fail", () => {
    expect(restoring({ "app/run/run.ts": 'import { restoreFiles } from "../../system/git/restore.ts";' })).toEqual([
      "app/run/run.ts",
    ]);
  });
});

describe("names", () => {
  test("no two files export a type of the same name", () => {
    expect(repeatedTypes(all)).toEqual([]);
  });

  test("the check can fail", () => {
    const planted = {
      "domain/verdict.ts": "export interface Verdict {}",
      "store/store.ts": 'export type Verdict = "yes";',
      "loop/verify.ts": 'export type { Verdict } from "../domain/verdict.ts";',
      "store/store.contract.ts": "export class Verdict {}",
    };
    expect(repeatedTypes(planted)).toEqual(["Verdict is declared in domain/verdict.ts and store/store.ts"]);
  });
});

describe("waits", () => {
  test("no test waits for a condition for less than a busy machine may need", () => {
    expect(shortWaits({ ...all, ...read("test") })).toEqual([]);
  });

  test("the check can fail", () => {
    const [until, wait, poll] = ["vi.waitUntil", "vi.waitFor", "expect.poll"];
    const planted = {
      "a.test.ts": `await ${until}(() => isThere(1));\nawait ${until}(() => isThere(2), { timeout: 50_000 });`,
      "b.test.ts": `await ${wait}(() => isThere(), { timeout: 5000, interval: 5 });`,
      "c.test.ts": `await ${poll}(() => isRunning(pid)).toBe(false);`,
      "d.test.ts": `await ${until}(() => isThere(), LONG);`,
    };
    expect(shortWaits(planted)).toEqual([
      `a.test.ts waits by ${until} for less than 10 seconds`,
      `b.test.ts waits by ${wait} for less than 10 seconds`,
      `c.test.ts waits by ${poll} for less than 10 seconds`,
    ]);
  });
});

describe("sizes", () => {
  test("no file outgrows one sitting", () => {
    const limit = (path: string): number => (/\.(test|contract)\.tsx?$/.test(path) ? 600 : 300);
    const files = { ...all, ...read("test"), ...read("bench") };
    const long = Object.entries(files).filter(([path, text]) => text.split("\n").length > limit(path));
    expect(long.map(([path]) => path)).toEqual([]);
  });
});
