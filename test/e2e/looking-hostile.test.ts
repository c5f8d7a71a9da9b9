import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PROGRAM } from "../built-program.ts";
import { hostileRepository } from "../hostile-repository.ts";
import { byLane } from "../lane.ts";
import { typed } from "../recording-io.ts";
import { homeOf, temporaryFolder } from "../temporary-folder.ts";

/** B-02: commands that only look. */
const LOOKS: readonly (readonly string[])[] = [
  ["doctor"],
  ["status"],
  ["init", "--dry-run"],
  ["run", "--dry-run"],
  ["trust"],
  ["inspect"],
  ["prompt", "build"],
  ["task", "list"],
  ["gates"],
  ["config", "get"],
  ["status", "--json"],
  ["run", "--status"],
  ["run", "--dry-run", "--sprint", "sprints/x"],
  ["sprint", "status", "sprints/x"],
  ["prompt", "plan"],
  ["task", "ready"],
  ["task", "tree"],
  ["task", "graph"],
  ["task", "export"],
  ["context", "show"],
  ["project", "list"],
  ["change", "list"],
  ["logs"],
  ["report"],
  ["lanes"],
  ["inspect", "--json"],
  ["config", "path"],
  ["completion", "bash"],
  ["complete", "run", "--change", ""],
  ["complete", "task", "show", ""],
];

const USUAL = new Set(["node", "git", "sh", "dash", "bash"]);

/** As if the person's shell looked here first, too. So does what npx and scripts of npm start. */
const pathsIn = (folder: string): string[] =>
  [`${folder}/node_modules/.bin`, "", "node_modules/.bin", "."].map((entry) => `${entry}:${process.env["PATH"]!}`);

describe("a hostile repository", () => {
  test("B-02 commands that only look start nothing of it, wherever they are typed", async () => {
    const place = hostileRepository();
    const paths = pathsIn(place.folder);
    for (const cwd of place.inside) {
      for (const [index, words] of LOOKS.entries()) {
        const PATH = paths[index % paths.length]!;
        const { code, stderr } = await typed(words, { cwd, env: { PATH, RALPHCTL_TRUST: "" } });
        expect([words, code === 70 ? stderr : "", place.started()]).toEqual([words, "", []]);
      }
    }
  });

  test("B-02 the repository can fail: git, left alone, starts its programs", () => {
    const place = hostileRepository();
    spawnSync("git", ["status"], { cwd: place.folder });
    spawnSync("git", ["cat-file", "blob", "HEAD:a.txt"], { cwd: place.folder });
    expect(place.started()).toEqual(expect.arrayContaining(["include", "ext"]));
  });

  const traced = spawnSync("strace", ["-f", "-qq", "-o", "/dev/null", "true"]);
  const why = traced.error !== undefined ? "no strace" : traced.status === 0 ? undefined : "strace may not trace here";

  test.skipIf(why !== undefined)(`B-02 a tracer sees only git, shells and Node${why ? `: ${why}` : ""}`, () => {
    const place = hostileRepository();
    const log = join(temporaryFolder(), "trace");
    for (const words of byLane(LOOKS.slice(0, 6), LOOKS)) {
      const traced = ["-f", "-qq", "-s", "4096", "-e", "trace=execve", "-e", "signal=none", "-o", log];
      spawnSync("strace", [...traced, process.execPath, PROGRAM, ...words], {
        cwd: place.folder,
        env: { ...homeOf(temporaryFolder()), PATH: `.:${pathsIn(place.folder)[0]!}`, RALPHCTL_TRUST: "" },
      });
      const programs = [...readFileSync(log, "utf8").matchAll(/execve\("([^"]*)".* = 0$/gm)].map(([, path]) => path!);
      const names = new Set(programs.map((path) => (path === process.execPath ? "node" : path.replace(/^.*\//, ""))));
      expect([words, programs.filter((path) => !path.startsWith("/") || path.startsWith(place.folder))]).toEqual([
        words,
        [],
      ]);
      // It also looks which sandboxes the machine has, by programs of the machine.
      const others = words[0] === "doctor" ? [] : [...names].filter((name) => !USUAL.has(name));
      expect([words, others]).toEqual([words, []]);
      expect(place.started()).toEqual([]);
    }
  });
});

test("B-02 another user's repository is git's to refuse, and ralphctl says what git says", async () => {
  if (process.getuid?.() !== 0) return; // only root can give a folder away
  const place = hostileRepository();
  execFileSync("chown", ["-R", "12345:12345", place.folder]);
  const { code, stderr } = await typed(["init", "--dry-run"], { cwd: place.folder, env: { RALPHCTL_TRUST: "" } });
  expect([code, stderr]).toEqual([78, expect.stringContaining("it belongs to another user")]);
  expect([place.started(), existsSync(join(place.folder, ".ralph/ralph.db"))]).toEqual([[], false]);
});
