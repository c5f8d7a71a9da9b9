import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { PROGRAM, ralphctl, start } from "../built-program.ts";
import { type } from "../recording-io.ts";
import { runFinished } from "../run-events.ts";
import { git, temporaryFolder, temporaryRepository, write } from "../temporary-folder.ts";

interface Manifest {
  version: string;
  bin: Record<string, string>;
  scripts: Record<string, string>;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;

/** Says on the standard error what a program has loaded when it ends. */
const HOOK = `const fs = require("node:fs");
const { readFileSync } = fs;
const files = new Set([process.argv[1]]);
fs.readFileSync = (path, ...rest) => (String(path).endsWith(".js") && files.add(path), readFileSync(path, ...rest));
process.on("exit", () => fs.writeSync(2, JSON.stringify({ files: [...files], builtins: process.moduleLoadList })));`;

/** Modules of Node's own that take milliseconds to load. */
const SLOW = ["child_process", "crypto", "fs/promises", "v8"];

/** The files that would be published, with their modes. */
function packedFiles(): Map<string, number> {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const output = execFileSync("npm", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const [packed] = JSON.parse(output) as { files: { path: string; mode: number }[] }[];
  return new Map(packed!.files.map(({ path, mode }) => [path, mode]));
}

describe("the package", () => {
  test("both names are the same program, which knows its version", async () => {
    expect(manifest.bin["ralphctl"]).toBe(manifest.bin["ralph"]);
    const answer = await ralphctl(["--version"], { cwd: "." });
    expect(answer).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: "" });
  });

  test("contains the program, the library, the script and the licences, and no sources", () => {
    const files = packedFiles();
    const wanted = [
      "dist/bin.js",
      "dist/library/index.js",
      "dist/config.schema.json",
      "dist/THIRD-PARTY.txt",
      "README.md",
      "LICENSE",
    ];
    expect(wanted.filter((path) => !files.has(path))).toEqual([]);
    for (const path of ["dist/bin.js", "scripts/build-ralph-prompt.sh"]) expect(files.get(path)! & 0o111).not.toBe(0);
    expect([...files.keys()].filter((path) => /^(src|test|bench)\//.test(path))).toEqual([]);
  });

  test("needs nothing at run time but SQLite where Node's own is too old, PostgreSQL for a fleet, and no install script", () => {
    expect(manifest.dependencies ?? {}).toEqual({});
    expect(Object.keys(manifest.optionalDependencies ?? {})).toEqual(["@photostructure/sqlite"]);
    expect(Object.keys(manifest.scripts).filter((name) => /install/.test(name))).toEqual([]);
  });

  test("exports the loop and the prompt core from its root", async () => {
    const library = (await import(join(process.cwd(), "dist", "library", "index.js"))) as Record<string, unknown>;
    expect(Object.keys(library).sort()).toEqual([
      "RalphError",
      "buildClaudeArgs",
      "buildExecutingPrompt",
      "buildPlanSystemPrompt",
      "buildPlanningPrompt",
      "buildPromptPreamble",
      "buildRalphPrompt",
      "buildReflectingPrompt",
      "buildSystemPrompt",
      "buildTaskContext",
      "createPlainReader",
      "openWorkspace",
      "parseNextModelHint",
      "parsePromise",
      "parseTaskDone",
      "parseTaskFailed",
      "readSigils",
      "resolvePromptPlaceholders",
      "run",
      "version",
    ]);
  });
});

describe("the start of a command", () => {
  const RAN = { v: 1, at: "2026-01-01T00:00:00.000Z", run: "r-1", ...runFinished };
  const hook = join(temporaryFolder({ "loaded.cjs": HOOK }), "loaded.cjs");

  /** The files of the program, and the modules of Node's, that a command line has loaded when it ends. */
  async function loadedBy(...args: readonly string[]): Promise<{ files: string[]; slow: string[] }> {
    const cwd = temporaryRepository();
    await type(["init"], { cwd });
    await type(["task", "add", "Greet"], { cwd });
    // Before its first run, `status` also reads the plan files.
    write(cwd, { ".ralph/runs/r-1/events.ndjson": `${JSON.stringify(RAN)}\n` });
    const line = ["--require", hook, PROGRAM, ...args];
    const { code, stderr } = await start(process.execPath, line, { cwd });
    expect(code).toBe(0);
    const { files, builtins } = JSON.parse(stderr) as { files: string[]; builtins: string[] };
    const own = files.map((file) => relative(dirname(PROGRAM), file)).filter((file) => !file.startsWith(".."));
    return {
      files: own.filter((file) => !file.includes("/compiled/")).sort(),
      slow: SLOW.filter((name) => builtins.includes(`NativeModule ${name}`)),
    };
  }

  test("the version needs nothing but itself", async () => {
    expect(await loadedBy("--version")).toEqual({ files: ["bin.js", "chunks/start.js"], slow: [] });
  });

  test("what looks at tasks loads them in one piece, and neither YAML nor the schema of the configuration", async () => {
    const files = ["bin.js", "chunks/dispatch.js", "chunks/start.js", "chunks/tasks.js"];
    expect(await loadedBy("task", "ready")).toEqual({ files, slow: [] });
    expect(await loadedBy("task", "list")).toEqual({ files, slow: [] });
    expect(await loadedBy("status")).toEqual({ files: [...files, "chunks/status.js"].sort(), slow: [] });
    const text = files.map((file) => readFileSync(join(dirname(PROGRAM), file), "utf8")).join("");
    expect(["YAMLParseError", "ZodError"].filter((mark) => text.includes(mark))).toEqual([]);
  });
});

describe("compiled code beside the program", () => {
  /** A copy that nothing has been compiled of, and its version. */
  function copied(): { folder: string; version: () => string; compiled: () => string[] } {
    const folder = join(temporaryFolder({}), "dist");
    const filter = (path: string): boolean => basename(path) !== "compiled";
    cpSync(dirname(PROGRAM), folder, { recursive: true, filter });
    const version = (): string =>
      execFileSync(process.execPath, [join(folder, "bin.js"), "--version"], { encoding: "utf8" });
    const inside = (): string[] =>
      readdirSync(join(folder, "chunks", "compiled"), { recursive: true, encoding: "utf8" });
    return {
      folder,
      version,
      compiled: () =>
        inside()
          .map((path) => basename(path))
          .sort()
          .slice(1),
    };
  }

  test("is made by the first start, and is no part of the package", () => {
    const { version, compiled } = copied();
    expect(version()).toBe(`${manifest.version}\n`);
    expect(compiled()).toEqual(["start.js"]);
    expect([...packedFiles().keys()].filter((path) => path.includes("compiled"))).toEqual([]);
  });

  test("is not needed: it may be damaged, or impossible to keep", () => {
    const { folder, version } = copied();
    write(folder, { "chunks/compiled": "a file where a folder is wanted" });
    expect(version()).toBe(`${manifest.version}\n`);
    rmSync(join(folder, "chunks", "compiled"));
    version();
    const [build] = readdirSync(join(folder, "chunks", "compiled"));
    for (const damage of ["", "no code at all"]) {
      write(folder, { [`chunks/compiled/${build}/start.js`]: damage });
      expect(version()).toBe(`${manifest.version}\n`);
    }
  });
});

describe("the program", () => {
  test("init, context, prompt: a newcomer's first minutes", async () => {
    const cwd = temporaryRepository();
    expect((await ralphctl(["init", "--yes"], { cwd })).code).toBe(0);
    write(cwd, { ".ralph/specs/login.md": "# Login" });
    await ralphctl(["context", "add", "Use the mailer."], { cwd });
    const { code, stdout, stderr } = await ralphctl(["prompt", "build"], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("Use the mailer.");
    expect(git(cwd, "status", "--porcelain")).toBe("?? .ralph/specs/login.md");
  });

  test("S000-AC3 the placeholder's error comes before anything else happens", async () => {
    const cwd = temporaryRepository();
    await ralphctl(["init"], { cwd });
    write(cwd, { "PROMPT_plan.md": "Read {project}/specs." });
    const { code, stdout, stderr } = await ralphctl(["prompt", "plan"], { cwd });
    expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
    expect(stderr).toContain(
      "Prompt contains {project} placeholder but --project flag was not provided. Either provide",
    );
  });

  test("never asks where there is no terminal", async () => {
    const cwd = temporaryRepository();
    const { code, stdout } = await ralphctl(["init"], { cwd });
    expect({ code, asked: stdout.includes("Commit these") }).toEqual({ code: 0, asked: false });
  });

  test("ends quietly when its reader goes away", async () => {
    // More than a pipe holds, so that the program is still writing when nobody reads any more.
    const cwd = temporaryFolder({ ".ralph/specs/a.md": "x", "PROMPT_build.md": "line\n".repeat(180_000) });
    const line = `"$0" "$1" prompt --quiet | head -c 1`;
    const child = spawn("bash", ["-c", line, process.execPath, PROGRAM], { cwd });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    await once(child, "close");
    expect(stderr).toBe("");
  });

  test("X-74 says that the disk is full", async () => {
    const cwd = temporaryFolder();
    const line = `"$0" "$1" config schema > /dev/full`;
    expect(await start("bash", ["-c", line, process.execPath, PROGRAM], { cwd })).toEqual({
      code: 74,
      stdout: "",
      stderr: "error: Cannot write the output: ENOSPC\nhint: Check the free disk space\n",
    });
  });

  test("a working directory that was deleted matters only where it is needed", async () => {
    const cwd = temporaryFolder();
    const inDeleted = async (args: string) =>
      await start("bash", ["-c", `mkdir x && cd x && rmdir ../x && "$0" "$1" ${args}`, process.execPath, PROGRAM], {
        cwd,
      });
    expect((await inDeleted("--version")).code).toBe(0);
    expect(await inDeleted("prompt")).toMatchObject({
      code: 78,
      stderr: expect.stringContaining("error: The working directory no longer exists\nhint: "),
    });
  });

  test("a long output into a pipe arrives whole", async () => {
    const line = `"$0" "$1" config schema | cat`;
    const { stdout } = await start("bash", ["-c", line, process.execPath, PROGRAM], { cwd: "." });
    expect(stdout).toBe(readFileSync("dist/config.schema.json", "utf8"));
  });
});
