import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { repositoryAt } from "../../test/git-place.ts";
import { temporaryRepository, write } from "../../test/temporary-folder.ts";
import type { GateResult } from "../domain/gate.ts";
import { describeDifference, findDifference, IN_PLACE, type RoomDifference } from "./room-advice.ts";

const IGNORE = ".env\nlocal.json\n*.log\n*.bin\nnode_modules/\ntarget/\nsecrets/\ngenerated/\n";

/** A gate that fails in the room with this output. */
function red(output: string): GateResult {
  const gate = { id: "test", kind: "workspace", run: "make test", timeoutMs: 1, retries: 0 } as const;
  const said = { head: output, tail: "", file: "", bytes: output.length };
  return { gate, passed: false, runs: [{ end: { kind: "exit", code: 1 }, durationMs: 1, swept: 0, output: said }] };
}

interface Case {
  readonly files: Readonly<Record<string, string>>;
  readonly output?: string;
  readonly env?: (home: string) => Readonly<Record<string, string>>;
  readonly setup?: string;
}

async function difference({ files, output = "", env = () => ({}), setup }: Case): Promise<RoomDifference> {
  const folder = temporaryRepository({ ".gitignore": IGNORE });
  write(folder, files);
  const home = await repositoryAt(folder);
  onTestFinished(async () => await home.shells?.close());
  const settings = { setup: setup ?? null, keep: [] };
  return await findDifference({ home, root: folder, env: env(folder), settings, red: [red(output)] });
}

describe("T-02 L-21 lines for what a fresh checkout misses", () => {
  test("small files of settings are proposed, and nothing that a tool made", async () => {
    const { lines, missing } = await difference({
      files: {
        ".env": "A=1",
        "config/local.json": "{}",
        "secrets/a/key": "k",
        "run.log": "l",
        "big.bin": "b".repeat(1000),
        "node_modules/a/index.js": "",
      },
    });
    expect(missing).toEqual([".env", "big.bin", "config/local.json", "node_modules/", "run.log", "secrets/"]);
    expect(lines.include).toEqual([".env", "config/local.json", "secrets/"]);
  });

  test("if the failing gate names files, these are proposed alone", async () => {
    const files = { ".env": "A=1", "config/local.json": "{}", "secrets/key": "k", "a [1]/local.json": "{}" };
    const named = async (output: string) => (await difference({ files, output })).lines.include;
    expect(await named("ENOENT: no such file, open '/x/room/config/local.json'")).toEqual(["config/local.json"]);
    expect(await named("cannot open a [1]/local.json")).toEqual([String.raw`a\ \[1]/local.json`]);
  });

  test("folders that are large, and links, are not proposed", async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`generated/${at}.json`, "{}"]));
    const folder = temporaryRepository({ ".gitignore": IGNORE });
    write(folder, many);
    mkdirSync(join(folder, "x"));
    symlinkSync("/etc/hostname", join(folder, "local.json"));
    const home = await repositoryAt(folder);
    onTestFinished(async () => await home.shells?.close());
    const settings = { setup: null, keep: [] };
    const { lines } = await findDifference({ home, root: folder, env: {}, settings, red: [red("")] });
    expect(lines.include).toEqual([]);
  });

  test("a file that .worktreeinclude names already is not missing", async () => {
    const { missing } = await difference({ files: { ".env": "A=1", "a.log": "", ".worktreeinclude": ".env\n" } });
    expect(missing).toEqual(["a.log"]);
  });

  test("set-up is proposed where the person has set none, and caches that check themselves are kept", async () => {
    const files = { "package.json": "{}", "node_modules/a/b.js": "", "Cargo.toml": "", "target/debug/x": "" };
    expect((await difference({ files })).lines).toMatchObject({
      setup: "npm install --no-audit --no-fund",
      keep: ["target/"],
    });
    expect((await difference({ files, setup: "make deps" })).lines.setup).toBe(undefined);
  });

  test("variables that lead into the tree are named, without their values", async () => {
    const { variables } = await difference({
      files: {},
      env: (home) => ({ PYTHONPATH: `${home}/lib`, PATH: `${home}/bin`, SECRET: "s", ELSE: `/mnt${home}` }),
    });
    expect(variables).toEqual(["PYTHONPATH"]);
  });

  test("the sentence names gates, files and variables; the advice is what to write, and where", async () => {
    const found = await difference({
      files: { ".env": "A=1", "package.json": "{}", "node_modules/a/b.js": "" },
      env: (home) => ({ DATA: `${home}/data` }),
    });
    expect(describeDifference(found)).toEqual({
      message:
        "These gates pass in your working tree and fail in a fresh checkout: test. " +
        "Git ignores these files, so a fresh checkout has none: .env, node_modules/. " +
        "These variables lead into your working tree: DATA",
      fix:
        "Add to .worktreeinclude: .env; " +
        'Add to .ralph/config.yaml: lanes: { setup: "npm install --no-audit --no-fund" }',
    });
    expect(describeDifference({ ...found, lines: IN_PLACE }).fix).toBe(
      'Add to .ralph/config.yaml: lanes: { inPlace: true }, verify: { in: "tree" }',
    );
    expect(describeDifference(await difference({ files: {} })).fix).toContain("ralphctl doctor --probe");
  });
});
