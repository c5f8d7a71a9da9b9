import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasConflictMarkers } from "../src/domain/conflict-markers.ts";
import { alike } from "./alike.ts";
import { demoPicture } from "./demo-picture.ts";
import { GUIDE_FILES } from "./guide-blocks.ts";
import { referencePages } from "./reference.ts";
import { torturePage } from "./torture/page.ts";

const documents = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "docs/benchmarks.md",
  "docs/glossary.md",
  "docs/torture.md",
  ...GUIDE_FILES,
];
const readme = readFileSync("README.md", "utf8");
const commands = Array.from(readme.matchAll(/^```sh\n(.*?)\n```/gms), ([, text]) => text!);

describe("reference", async () => {
  test.each(Object.entries(await referencePages()))(
    "docs/reference/%s is what the code says (npm run docs)",
    async (name, text) => {
      await expect(text).toMatchFileSnapshot(`../docs/reference/${name}`);
    },
  );
});

test("docs/torture.md is what the cases say (npm run docs)", async () => {
  await expect(torturePage()).toMatchFileSnapshot("../docs/torture.md");
});

test.each(documents)("%s has no marks of a merge", (file) => {
  expect(hasConflictMarkers(file, readFileSync(file, "utf8"))).toBe(false);
});

describe("the picture of the demo", () => {
  const recording = readFileSync("test/e2e/demo-recording.txt", "utf8");

  test("docs/demo.svg is drawn from what was recorded (npm run docs)", async () => {
    await expect(demoPicture(recording)).toMatchFileSnapshot("../docs/demo.svg");
  });

  test("what was recorded is what the demo prints today (npm run record)", () => {
    // The transcript is held against the program by test/e2e/run-output.full.test.ts.
    const transcript = readFileSync("test/e2e/demo-transcript.txt", "utf8").replaceAll(/^TIME(?: {2})?/gm, "");
    expect(alike(recording)).toBe(`$ ralphctl demo\n${transcript}`);
  });
});

describe("README", () => {
  test("its first command runs the program", () => {
    // The installation has happened, or this test would not run.
    const command = commands[0]!.replace(/^npm ci && /, "");
    const output = execFileSync("sh", ["-c", command], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    expect(output).toContain("Rejected: gate test: exit code 1");
    expect(output).toContain("Complete and verified: ");
  });

  test("its second command is the one that CI runs first", () => {
    expect(commands[1]).toBe("npm ci && npm test");
    expect(readFileSync(".ci/run", "utf8")).toContain(`{ ${commands[1]}; }`);
  });

  test("links to every guide and every page of the reference", () => {
    const pages = [...GUIDE_FILES, ...readdirSync("docs/reference").map((name) => `docs/reference/${name}`)];
    expect(pages.filter((page) => !readme.includes(`](${page})`))).toEqual([]);
  });

  test("names every command", () => {
    const table = readme.slice(readme.indexOf("## Commands"), readme.indexOf("## As a library"));
    const reference = readFileSync("docs/reference/commands.md", "utf8");
    const names = new Set(Array.from(reference.matchAll(/^## `ralphctl ([a-z]+)/gm), ([, name]) => name!));
    // The first thing above the table tries it.
    names.delete("demo");
    expect([...names].filter((name) => !new RegExp(`[\`|](ralphctl )?${name}\\b`).test(table))).toEqual([]);
  });

  test("is at most 200 lines", () => {
    expect(readme.split("\n").length).toBeLessThanOrEqual(200);
  });
});

describe.each(documents)("%s", (file) => {
  const text = readFileSync(file, "utf8");

  test("links to files that exist", () => {
    const links = Array.from(text.matchAll(/\]\(([^)#:]+)\)/g), ([, link]) => link!);
    expect(links.filter((link) => !existsSync(join(dirname(file), link)))).toEqual([]);
  });

  test("names source files that exist", () => {
    const paths = Array.from(
      text.matchAll(/`((?:src\/)?(?:domain|system|config|plan|store|scope|harness|gate|loop|app|cli)\/[\w/-]+\.ts)`/g),
      ([, path]) => path!,
    );
    expect(paths.filter((path) => !existsSync(path.startsWith("src/") ? path : `src/${path}`))).toEqual([]);
  });
});

test("every dependency has a line in ARCHITECTURE.md", () => {
  const {
    devDependencies,
    dependencies = {},
    optionalDependencies = {},
  } = JSON.parse(readFileSync("package.json", "utf8")) as Record<string, Record<string, string>>;
  const text = readFileSync("ARCHITECTURE.md", "utf8");
  expect(
    Object.keys({ ...devDependencies, ...dependencies, ...optionalDependencies }).filter(
      (name) => !text.includes(name),
    ),
  ).toEqual([]);
});

test("the lock file names no download addresses", () => {
  expect(readFileSync("package-lock.json", "utf8")).not.toContain('"resolved": "http');
});
