import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { wrongWith } from "../check-block.ts";
import { follow, type Prepared } from "../follow-guide.ts";
import { blocksOf, GUIDE_FILES } from "../guide-blocks.ts";
import { PREPARED, USUAL } from "../guide-workspaces.ts";
import { temporaryFolder, write } from "../temporary-folder.ts";
import { byLane } from "../lane.ts";

const DOCUMENTS = ["README.md", ...GUIDE_FILES];

/** Where the types of the package are, as its own package.json says. */
const PACKAGE = { ralphctl: [join(process.cwd(), "dist/library/types/index.d.ts")] };

/** A guide is dozens of commands one after the other. */
const LONG_MS = 150_000;

const preparedFor = (file: string): Prepared => ({ ...USUAL, ...PREPARED[file] });

test("what is prepared for a guide is there for one that exists", () => {
  expect(Object.keys(PREPARED).filter((file) => !DOCUMENTS.includes(file))).toEqual([]);
});

test.concurrent.each(DOCUMENTS)("the code blocks of %s are of known kinds, and each is valid", async (file) => {
  const blocks = blocksOf(file);
  const wrong = await Promise.all(blocks.map(async (block) => [block.line, await wrongWith(block)] as const));
  expect(blocks.length).toBeGreaterThan(0);
  expect(wrong.filter(([, problem]) => problem !== undefined)).toEqual([]);
});

test.concurrent.each(byLane(["README.md"], DOCUMENTS))(
  "%s can be followed from its first block to its last",
  async (file) => {
    const { code, seen, unseen } = await follow(file, preparedFor(file));
    expect({ code, seen: code === 0 ? "" : seen.slice(-4000) }).toEqual({ code: 0, seen: "" });
    expect(unseen).toEqual([]);
  },
  LONG_MS,
);

test("the programs of all documents are of the right types", () => {
  const programs = DOCUMENTS.flatMap((file) =>
    blocksOf(file)
      .filter(({ kind }) => ["js", "ts"].includes(kind))
      .map(({ kind, line, text }) => [`${file.replaceAll("/", "-")}-${line}.m${kind}`, text] as const),
  );
  const folder = temporaryFolder(Object.fromEntries(programs));
  symlinkSync(join(process.cwd(), "node_modules"), join(folder, "node_modules"));
  const options = { target: "es2023", module: "nodenext", types: ["node"], strict: true, noEmit: true };
  const compilerOptions = { ...options, allowJs: true, checkJs: true, skipLibCheck: true, paths: PACKAGE };
  write(folder, { "tsconfig.json": JSON.stringify({ compilerOptions, files: programs.map(([name]) => name) }) });
  const { status, stdout } = spawnSync("node_modules/.bin/tsc", ["-p", folder], { encoding: "utf8" });
  expect([status, stdout, programs.length > 2]).toEqual([0, "", true]);
});
