import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loopWorkspace } from "../loop-workspace.ts";
import { type, typed } from "../recording-io.ts";
import { git, temporaryRepository } from "../temporary-folder.ts";

/** Every file with a hash of its bytes, git's own included. A database may move its own pages: its tasks are compared. */
const everythingIn = async (folder: string) => ({
  files: readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => !/ralph\.db-(?:shm|wal)$/.test(path) && statSync(join(folder, path)).isFile())
    .sort()
    .map((path) => `${path} ${path.endsWith("ralph.db") ? "" : hash(readFileSync(join(folder, path)))}`),
  tasks: (await type(["task", "export"], { cwd: folder })).stdout,
});

const hash = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex").slice(0, 12);

const TOUCH = "touch STARTED";
/** Everything by which a repository can name a program: each would leave a file. */
const NAMED = {
  "package.json": JSON.stringify({ scripts: { test: TOUCH, lint: TOUCH, build: TOUCH, typecheck: TOUCH } }),
  Makefile: `X := $(shell ${TOUCH})\ncheck:\n\t${TOUCH}\n`,
  "Cargo.toml": "",
  "go.mod": "",
  "pytest.ini": "",
};
const CONFIG = `gates: auto
verify: { setup: ${TOUCH}, reviewer: command }
`;

const QUESTIONS = [
  ["status"],
  ["status", "--json"],
  ["logs"],
  ["watch"],
  ["logs", "-f", "--json"],
  ["run", "--status"],
  ["run", "--status", "--json"],
  ["run", "--dry-run"],
  ["prompt"],
  ["prompt", "plan"],
  ["prompt", "build"],
  ["prompt", "build", "--json"],
  ["task", "list"],
  ["task", "list", "--json"],
  ["task", "ready"],
  ["task", "tree"],
  ["task", "graph"],
  ["task", "show", "t-"],
  ["task", "log", "t-"],
  ["task", "export"],
  ["task", "dep", "list", "t-"],
  ["context", "show"],
  ["project", "list"],
  ["change", "list", "--json"],
  ["inspect"],
  ["inspect", "--json"],
  ["inspect", "t-"],
  ["inspect", "1", "--diff"],
  ["config", "get"],
  ["config", "get", "gates"],
  ["config", "path"],
  ["config", "schema"],
  ["completion", "bash"],
  ["help", "run"],
  ["doctor"],
] as const;

test("W-06 commands that only look start no program that the repository names, and make and change no file", async () => {
  const place = await loopWorkspace({
    script: "[]",
    tasks: ["Do it"],
    config: CONFIG,
    files: NAMED,
    harnesses: { command: `run: ${TOUCH}` },
  });
  // Before there are tasks, and when there are.
  const empty = temporaryRepository({ ...NAMED, ".ralph/config.yaml": CONFIG });
  const look = async (cwd: string): Promise<void> => {
    const before = await everythingIn(cwd);
    for (const words of QUESTIONS) {
      const { code } = await typed(words, { cwd });
      // Some have nothing to show, `doctor` finds problems, and there may be no agent: none of them may break.
      expect([words, [0, 1, 3, 64, 69, 78].includes(code)]).toEqual([words, true]);
    }
    expect(await everythingIn(cwd)).toEqual(before);
    expect(git(cwd, "status", "--porcelain")).toBe("");
  };
  await Promise.all([look(place.folder), look(empty)]);
});

test.concurrent("W-06 W-07 run says first whose the tree is and which commands it will start", async () => {
  const place = await loopWorkspace({
    config: "gates:\n  - { id: test, run: test -f done.txt }\n",
    script: '- - write: { path: done.txt, text: "yes\\n" }\n  - say: <task-done>{task}</task-done>\n',
  });
  const { code, stdout } = await place.ralphctl("run", "--validation-command", "true");
  const lines = stdout.split("\n").map((line) => line.replace(/^\d\d:\d\d:\d\d\s*/, ""));
  const first = lines.findIndex((line) => line.startsWith("Iteration 1"));
  const head = lines.slice(0, first).join("\n");
  expect([code, lines[0]]).toEqual([0, expect.stringMatching(/^Run r-\S+ works on main at [0-9a-f]{10} in lane 1 \(/)]);
  expect(head).toMatch(/These commands will check[^\n]*\n *test +test -f done\.txt\n *validation-command +true\n/);
});
