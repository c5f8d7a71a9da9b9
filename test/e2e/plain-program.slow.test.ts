import { execFileSync, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { atEnd } from "../at-end.ts";
import { temporaryRepository } from "../temporary-folder.ts";

/** Says what a program prints and how it ends, with its ids and times left out. */
function session(program: string): readonly unknown[] {
  const cwd = temporaryRepository({ "a.txt": "1" });
  const lines = [
    ["--version"],
    ["--help"],
    ["init", "--yes"],
    ["task", "add", "One", "--json"],
    ["status", "--json"],
    ["config", "get", "limits.cots"],
    ["run", "--dry-run"],
    ["sprint", "start", "nowhere"],
    ["no-such-command"],
  ];
  return lines.map((line) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [program, ...line], { cwd, encoding: "utf8" });
    const plain = (text: string): string =>
      text
        .replaceAll(cwd, "CWD")
        .replaceAll(/Committed as \w+/g, "Committed")
        .replaceAll(/t-[0-9a-z]+/g, "ID")
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
    return { line, stdout: plain(stdout), stderr: plain(stderr), status };
  });
}

test("the program in CommonJS and few files does what it does as the bundler made it", () => {
  // Beside node_modules, which has the optional package.
  const folder = resolve(".cache/plain-program");
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync(process.execPath, ["scripts/build.mjs", "--plain", folder]);
  expect(session(resolve("dist/bin.js"))).toEqual(session(resolve(folder, "bin.js")));
});
