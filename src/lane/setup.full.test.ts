import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { repositoryAt } from "../../test/git-place.ts";
import { commitAll, git, temporaryFolder, temporaryRepository, write } from "../../test/temporary-folder.ts";
import { gitWords } from "../system/git/git.ts";
import { putTree, removeIgnored } from "../system/git/place-files.ts";
import { ownIndex, type Repository } from "../system/git/repository.ts";
import { openView } from "../system/git/view.ts";
import { prepare, setupProducts, type SetupRequest, type SetupResult } from "./setup.ts";

interface Lane {
  readonly home: string;
  readonly folder: string;
  readonly stateFile: string;
  readonly view: Repository;
  readonly lines: string[];
  readonly marker: SetupRequest["marker"];
  /** Makes a file part of the lane's tree. */
  readonly track: (path: string) => void;
  readonly prepare: (setting?: string | null, more?: Partial<SetupRequest>) => Promise<SetupResult>;
}

let count = 0;

/** A repository, and a place with its files. */
async function laneOf(files: Readonly<Record<string, string>>): Promise<Lane> {
  const home = temporaryRepository({ ".gitignore": "node_modules/\n*.local\n.env*\nout/\n", ...files });
  const beside = temporaryFolder();
  const repository = await repositoryAt(home);
  const folder = join(beside, "1");
  const head = git(home, "rev-parse", "HEAD");
  const view = await openView(repository, { folder, gitDir: `${folder}.view` }, head);
  onTestFinished(async () => void (await Promise.all([repository.shells?.close(), view.shells?.close()])));
  mkdirSync(folder);
  await putTree(view, git(home, "rev-parse", "HEAD^{tree}"));
  const stateFile = `${folder}.setup.json`;
  const lines: string[] = [];
  count += 1;
  const request: SetupRequest = {
    home: repository,
    place: { view, stateFile },
    workspace: "",
    setting: null,
    env: { PATH: process.env["PATH"], HOME: beside },
    foreign: [home, beside],
    marker: { name: "RALPHCTL_TEST_MARKER", value: `setup-${process.pid}-${count}` },
    timeoutMs: 60_000,
    outputFile: join(beside, "setup.log"),
    onLine: (line) => lines.push(line),
    signal: new AbortController().signal,
  };
  return {
    home,
    folder,
    stateFile,
    view,
    lines,
    marker: request.marker,
    track: (path) => {
      const env = { ...process.env, GIT_INDEX_FILE: ownIndex(view) };
      execFileSync("git", [...gitWords(view), "add", "--force", path], { cwd: folder, env });
    },
    prepare: async (setting = null, more = {}) => await prepare({ ...request, setting, ...more }),
  };
}

/** The processes that set-up started and that still run. */
function alive({ marker }: Lane): string {
  const script = `grep -lsF '${marker.name}=${marker.value}' /proc/[0-9]*/environ || true`;
  return execFileSync("sh", ["-c", script], { encoding: "utf8" });
}

const ready = (ran: boolean, products: readonly string[], notices: readonly string[] = []) => ({
  kind: "ready",
  ran,
  products,
  fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  notices,
});

describe("L-04 included files", () => {
  test("are copied if .worktreeinclude names them and git ignores them, with their mode", async () => {
    const lane = await laneOf({ ".worktreeinclude": ".env*\nkeys/*\n*.md\n!.env.old\n", "readme.md": "committed" });
    write(lane.home, {
      ".env": "KEY=1",
      ".env.old": "no",
      "keys/a.local": "a",
      "notes.md": "new",
      "other.local": "no",
    });
    chmodSync(join(lane.home, ".env"), 0o640);
    expect(await lane.prepare()).toEqual(ready(false, [".env", "keys/a.local"]));
    expect(readFileSync(join(lane.folder, ".env"), "utf8")).toBe("KEY=1");
    expect(statSync(join(lane.folder, ".env")).mode & 0o777).toBe(0o640);
    expect([".env.old", "notes.md", "other.local"].filter((path) => existsSync(join(lane.folder, path)))).toEqual([]);
    expect(await setupProducts(lane.stateFile)).toEqual(["/.env", "/keys/a.local"]);
  });

  test("a link is not copied, wherever it leads, and it is said", async () => {
    const lane = await laneOf({ ".worktreeinclude": "*.local\n" });
    symlinkSync("/etc/passwd", join(lane.home, "leaves.local"));
    symlinkSync(temporaryFolder({ "inner.local": "outside" }), join(lane.home, "folder.local"));
    const notices = ["folder.local", "leaves.local"].map(
      (path) => `${path} is not copied into lanes: it is a symbolic link`,
    );
    expect(await lane.prepare()).toEqual(ready(false, [], notices));
    expect(existsSync(join(lane.folder, "leaves.local"))).toBe(false);
  });

  test("the folders of tools stay behind, unless a pattern names them", async () => {
    const lane = await laneOf({ ".worktreeinclude": "*.local\n/out/config.local\n" });
    write(lane.home, { "node_modules/x/a.local": "", "packages/p/node_modules/b.local": "", "out/config.local": "" });
    write(lane.home, { ".ralph/runs/1/c.local": "", "app/d.local": "" });
    expect(await lane.prepare()).toEqual(ready(false, ["app/d.local", "out/config.local"]));
  });

  test("too many are refused in a sentence", async () => {
    const lane = await laneOf({ ".worktreeinclude": "*.local\n" });
    write(lane.home, Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`many/${index}.local`, "x"])));
    await expect(lane.prepare()).rejects.toMatchObject({
      kind: "config",
      message: expect.stringContaining(".worktreeinclude matches 1001 files") as string,
      hint: expect.stringContaining("lanes.setup") as string,
    });
  });

  test("do not become part of the work: not where the lane's tree has such a file, or does not ignore it", async () => {
    const lane = await laneOf({ ".worktreeinclude": ".env*\n" });
    write(lane.home, { ".env": "person's", ".env.b": "person's" });
    write(lane.folder, { ".gitignore": ".env\n", ".env": "of the tree" });
    lane.track(".env");
    const result = await lane.prepare();
    expect(result).toMatchObject({ kind: "ready", products: [] });
    expect(result.kind === "ready" && result.notices).toHaveLength(2);
    expect(readFileSync(join(lane.folder, ".env"), "utf8")).toBe("of the tree");
    expect(existsSync(join(lane.folder, ".env.b"))).toBe(false);
  });

  test("are not written through a link of the lane into the person's tree", async () => {
    const lane = await laneOf({ ".worktreeinclude": "conf/*\n" });
    write(lane.home, { "conf/a.local": "person's" });
    const outside = temporaryFolder();
    symlinkSync(outside, join(lane.folder, "conf"));
    expect(await lane.prepare()).toMatchObject({ kind: "ready", products: [] });
    expect(existsSync(join(outside, "a.local"))).toBe(false);
  });

  test("follow the person's: changed ones are copied again, and a removed one goes", async () => {
    const lane = await laneOf({ ".worktreeinclude": ".env*\n" });
    write(lane.home, { ".env": "1", ".env.b": "1" });
    await lane.prepare();
    write(lane.home, { ".env": "2" });
    rmSync(join(lane.home, ".env.b"));
    expect(await lane.prepare()).toEqual(ready(false, [".env"]));
    expect(readFileSync(join(lane.folder, ".env"), "utf8")).toBe("2");
    expect(existsSync(join(lane.folder, ".env.b"))).toBe(false);
  });
});

describe("L-04 set-up", () => {
  test("without a lock file there is nothing to do", async () => {
    expect(await (await laneOf({ "a.txt": "a" })).prepare()).toEqual(ready(false, []));
  });

  test("npm ci prepares a project with a package-lock.json", async () => {
    const name = { name: "shop", version: "1.0.0" };
    const lock = { ...name, lockfileVersion: 3, requires: true, packages: { "": name } };
    const lane = await laneOf({
      "package.json": JSON.stringify({ ...name, scripts: { prepare: "mkdir out && echo made > out/made" } }),
      "package-lock.json": JSON.stringify(lock),
    });
    expect(await lane.prepare()).toEqual(ready(true, ["out/"]));
    expect(readFileSync(join(lane.folder, "out/made"), "utf8")).toBe("made\n");
    expect(existsSync(join(lane.home, "out"))).toBe(false);
    expect(await lane.prepare()).toEqual(ready(false, ["out/"]));
  });

  test("runs in the workspace's folder of the lane, after the included files are there", async () => {
    const lane = await laneOf({ "sub/a.txt": "a", ".worktreeinclude": ".env" });
    write(lane.home, { "sub/.env": "KEY=1" });
    const run = await lane.prepare("pwd && cat .env", { workspace: "sub" });
    expect(run).toEqual(ready(true, ["sub/.env"]));
    expect(lane.lines).toEqual([join(lane.folder, "sub"), "KEY=1"]);
  });

  test("shows its output line by line while it runs, and keeps it", async () => {
    const lane = await laneOf({ "a.txt": "a" });
    const go = join(dirname(lane.folder), "go");
    const onLine = (line: string): void => {
      lane.lines.push(line);
      if (line === "first") writeFileSync(go, "");
    };
    await lane.prepare(`echo first; until test -e ${go}; do sleep 0.02; done; echo last >&2`, { onLine });
    expect(lane.lines).toEqual(["first", "last"]);
    expect(readFileSync(join(dirname(lane.folder), "setup.log"), "utf8")).toBe("first\nlast\n");
  });

  test("that fails is said with its output, and runs again", async () => {
    const lane = await laneOf({ "a.txt": "a" });
    const command = "echo no network; exit 3";
    const failed = { kind: "failed", end: { kind: "exit", code: 3 }, why: "exit code 3", output: "no network" };
    expect(await lane.prepare(command)).toEqual(failed);
    expect(await lane.prepare(command)).toEqual(failed);
    expect(await setupProducts(lane.stateFile)).toEqual([]);
  });

  test("that hangs is ended, with all that it started", async () => {
    const lane = await laneOf({ "a.txt": "a" });
    const result = await lane.prepare("sleep 600 & echo waiting; wait", { timeoutMs: 1500 });
    expect(result).toMatchObject({ kind: "failed", why: "timed out after 1.5 s", output: "waiting" });
    expect(alive(lane)).toBe("");
  });

  test.each([
    ["its input", "read answer || exit 7"],
    ["the terminal", "read answer < /dev/tty || exit 7"],
  ])("that asks a question on %s gets no answer and ends", async (_name, command) => {
    const lane = await laneOf({ "a.txt": "a" });
    expect(await lane.prepare(`echo 'Continue?'; (${command}) || exit 7`)).toMatchObject({
      kind: "failed",
      why: "exit code 7",
    });
  });

  test("that is stopped half-way is none: it runs again from the beginning", async () => {
    const lane = await laneOf({ "package-lock.json": "1" });
    const stop = new AbortController();
    const onLine = (): void => stop.abort();
    await lane.prepare("mkdir -p out");
    write(lane.folder, { "package-lock.json": "2" });
    const half = "mkdir -p out; touch out/half; echo half; sleep 600";
    expect(await lane.prepare(half, { signal: stop.signal, onLine })).toEqual({ kind: "stopped" });
    expect(await setupProducts(lane.stateFile)).toEqual([]);
    expect(await lane.prepare("mkdir -p out")).toEqual(ready(true, ["out/"]));
  });

  test("has no state while it runs, so that a kill at any moment leaves none", async () => {
    const lane = await laneOf({ "a.txt": "a" });
    const command = (n: number): string => `test ! -e ${lane.stateFile} && echo run ${n}`;
    expect(await lane.prepare(command(1))).toMatchObject({ kind: "ready" });
    expect(existsSync(lane.stateFile)).toBe(true);
    expect(await lane.prepare(command(2))).toMatchObject({ kind: "ready", ran: true });
  });
});

describe("L-05 set-up runs again only when", () => {
  const SETUP = "sh tools/setup.sh";
  const files = { "tools/setup.sh": "mkdir -p node_modules/x\n", "package-lock.json": "1", ".worktreeinclude": ".env" };

  const prepared = async (): Promise<Lane> => {
    const lane = await laneOf(files);
    write(lane.home, { ".env": "1" });
    expect(await lane.prepare(SETUP)).toEqual(ready(true, [".env", "node_modules/"]));
    expect(await lane.prepare(SETUP)).toEqual(ready(false, [".env", "node_modules/"]));
    return lane;
  };

  test.each<[string, (lane: Lane) => void]>([
    ["the lock file changed", ({ folder }) => write(folder, { "package-lock.json": "2" })],
    ["the script changed", ({ folder }) => write(folder, { "tools/setup.sh": "mkdir -p node_modules/y" })],
    ["a setting of a package manager is new", ({ folder }) => write(folder, { "bunfig.toml": "" })],
    ["an included file changed", ({ home }) => write(home, { ".env": "2" })],
    ["its product is gone", ({ folder }) => rmSync(join(folder, "node_modules"), { recursive: true })],
    ["its record is unreadable", ({ stateFile }) => writeFileSync(stateFile, "{ half")],
  ])("%s", async (_name, change) => {
    const lane = await prepared();
    change(lane);
    expect(await lane.prepare(SETUP)).toMatchObject({ kind: "ready", ran: true });
    expect(await lane.prepare(SETUP)).toMatchObject({ kind: "ready", ran: false });
  });

  test("the command changed", async () => {
    const lane = await prepared();
    expect(await lane.prepare(`${SETUP} `)).toMatchObject({ ran: true });
  });

  test("not when an included file is a setting of a package manager", async () => {
    const lane = await laneOf({ ...files, ".gitignore": "node_modules/\n.npmrc\n", ".worktreeinclude": ".npmrc\n" });
    write(lane.home, { ".npmrc": "1" });
    expect(await lane.prepare(SETUP)).toMatchObject({ ran: true });
    expect(await lane.prepare(SETUP)).toMatchObject({ ran: false });
  });

  test("not when other files changed", async () => {
    const lane = await prepared();
    write(lane.folder, { "src/a.ts": "new", "tsconfig.json": "{}" });
    write(lane.home, { "package-lock.json": "person's" });
    commitAll(lane.home, "More");
    expect(await lane.prepare(SETUP)).toMatchObject({ ran: false });
  });
});

test("L-04 a process that set-up leaves behind ends with it", async () => {
  const lane = await laneOf({ "a.txt": "a" });
  await lane.prepare("setsid sleep 600 & echo started");
  expect(alive(lane)).toBe("");
});

describe("L-21 the room", () => {
  test("keeps exactly what set-up made", async () => {
    const lane = await laneOf({ "src/a.txt": "a", "b [c]/t.txt": "t" });
    await lane.prepare("mkdir -p out/x 'b [c]' && touch out/x/made 'b [c]/*.local' '!d.local'");
    write(lane.folder, { "src/out/left": "", "b c/x.local": "", "b [c]/y.local": "", "sub/!d.local": "" });
    await removeIgnored(lane.view, await setupProducts(lane.stateFile));
    const kept = ["out/x/made", "b [c]/*.local", "!d.local", "src/out/left", "b c", "b [c]/y.local", "sub"];
    expect(kept.filter((path) => existsSync(join(lane.folder, path)))).toEqual(kept.slice(0, 3));
  });

  const SETUP = "sh setup.sh";
  const SCRIPT =
    "mkdir -p node_modules/.bin node_modules/.cache out; touch node_modules/a.js node_modules/.cache/own out/b gen.local\n";
  const room = { keep: ["out/"] };

  const entered = async (): Promise<Lane> => {
    const lane = await laneOf({ "setup.sh": SCRIPT, "add.sh": "echo 2 >> .env", ".worktreeinclude": ".env" });
    write(lane.home, { ".env": "1" });
    expect(await lane.prepare(SETUP, room)).toMatchObject({ kind: "ready", ran: true });
    expect(await lane.prepare(SETUP, room)).toMatchObject({ kind: "ready", ran: false });
    return lane;
  };

  test.each<[string, (folder: string) => void]>([
    ["changed", (folder) => writeFileSync(join(folder, "node_modules/a.js"), "green")],
    ["added", (folder) => writeFileSync(join(folder, "node_modules/.bin/tsc"), "green")],
    ["removed", (folder) => rmSync(join(folder, "node_modules/a.js"))],
    [
      "renamed the folder of",
      (folder) => renameSync(join(folder, "node_modules/.bin"), join(folder, "node_modules/b")),
    ],
  ])("T-01 is set up again from nothing if a gate %s a product", async (_how, change) => {
    const lane = await entered();
    change(lane.folder);
    write(lane.folder, { "node_modules/left": "" });
    const again = await lane.prepare(SETUP, room);
    expect(again).toMatchObject({ ran: true, notices: [expect.stringContaining("because a gate changed ")] });
    expect(readFileSync(join(lane.folder, "node_modules/a.js"), "utf8")).toBe("");
    expect(["left", "b", ".bin/tsc"].filter((path) => existsSync(join(lane.folder, "node_modules", path)))).toEqual([]);
    expect(await lane.prepare(SETUP, room)).toMatchObject({ ran: false });
  });

  test("T-01 loses what gates wrote into caches, and keeps files of lanes.keep", async () => {
    const lane = await entered();
    const caches = ["node_modules/.cache/x", "node_modules/.vite/deps/y", "node_modules/__pycache__/z.pyc"];
    write(lane.folder, Object.fromEntries([...caches, "out/b", "out/more"].map((path) => [path, "new"])));
    expect(await lane.prepare(SETUP, room)).toMatchObject({ ran: false });
    expect(caches.filter((path) => existsSync(join(lane.folder, path)))).toEqual([]);
    expect(existsSync(join(lane.folder, "node_modules/.cache/own"))).toBe(true);
    expect(readFileSync(join(lane.folder, "out/b"), "utf8")).toBe("new");
  });

  test("T-01 has the person's included files again, unless set-up itself changed them", async () => {
    const lane = await entered();
    write(lane.folder, { ".env": "green" });
    expect(await lane.prepare(SETUP, room)).toMatchObject({ ran: false });
    expect(readFileSync(join(lane.folder, ".env"), "utf8")).toBe("1");
    const adds = "sh add.sh";
    for (const ran of [true, false]) {
      expect(await lane.prepare(adds, room)).toMatchObject({ ran });
      expect(readFileSync(join(lane.folder, ".env"), "utf8")).toBe("12\n");
    }
    write(lane.folder, { ".env": "green" });
    expect(await lane.prepare(adds, room)).toMatchObject({ ran: true });
    expect(readFileSync(join(lane.folder, ".env"), "utf8")).toBe("12\n");
  });

  test("T-01 has no products of another set-up", async () => {
    const lane = await entered();
    expect(await lane.prepare("mkdir -p node_modules", room)).toMatchObject({ ran: true });
    const all = ["node_modules/a.js", "gen.local", "out/b", ".env"];
    expect(all.filter((path) => existsSync(join(lane.folder, path)))).toEqual(["out/b", ".env"]);
  });

  test("L-05 is not cleaned that way if it is a lane", async () => {
    const lane = await laneOf({ "setup.sh": SCRIPT });
    await lane.prepare(SETUP);
    write(lane.folder, { "node_modules/a.js": "mine" });
    expect(await lane.prepare(SETUP)).toMatchObject({ ran: false });
    expect(readFileSync(join(lane.folder, "node_modules/a.js"), "utf8")).toBe("mine");
  });

  test("is refused with set-up that leads into the person's tree", async () => {
    const lane = await laneOf({ "a.txt": "a" });
    const link = `mkdir -p node_modules/.bin && ln -s ${lane.home}/a.txt node_modules/.bin/a`;
    expect(await lane.prepare(link)).toMatchObject({
      kind: "failed",
      why: "it leads out of the lane",
      output: `node_modules/.bin/a: link to ${lane.home}/a.txt`,
    });
    expect(await setupProducts(lane.stateFile)).toEqual([]);
  });
});
