import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { startLive } from "../live-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { type } from "../recording-io.ts";
import { git, temporaryFolder } from "../temporary-folder.ts";

const CLAIM = "  - say: <task-done>{task}</task-done>\n";

test.concurrent("from another working tree and from a subfolder it is the same run, with paths that lead to it", async () => {
  const place = await loopWorkspace({ script: `- - cost: 0.5\n  - write: { path: done.txt, text: x }\n${CLAIM}` });
  const { name: run } = await place.run();
  const other = join(temporaryFolder(), "other");
  git(place.folder, "worktree", "add", "--quiet", "-b", "other", other);
  const below = join(place.folder, "src");
  mkdirSync(below);
  const there = async (...words: readonly string[]): Promise<string> => (await type(words, { cwd: other })).stdout;
  expect((await there("run", "--status")).split("\n")[0]).toBe(`Run ${run} of workspace in ${place.folder}`);
  expect((await there("report")).split("\n")[0]).toBe(`# ${basename(place.folder)}: run ${run}`);
  const log = join(place.folder, ".ralph/runs", run, "1/gates/test.log");
  expect((await type(["inspect", "1"], { cwd: below })).stdout).toContain(
    `full output: ../.ralph/runs/${run}/1/gates/test.log\n`,
  );
  const json = JSON.parse(await there("inspect", "1", "--json")) as { gates: { file: string }[] };
  expect(json.gates.map(({ file }) => file)).toEqual([log]);
});

test.concurrent("P-44 a cost that is not all of it is called so by status, too", async () => {
  const place = await loopWorkspace({
    script: `- - cost: 0.5\n  - write: { path: done.txt, text: x }\n${CLAIM}- - write: { path: more.txt, text: x }\n${CLAIM}`,
    tasks: ["One", "Two"],
  });
  expect((await place.run()).finished).toMatchObject({ costUsd: 0.5, isCostPartial: true });
  const told = async (...words: readonly string[]): Promise<string> =>
    (await type(["status", ...words], { cwd: place.folder })).stdout;
  expect(await told()).toContain("\nCost of the one run: at least $0.50\n");
  expect(JSON.parse(await told("--json"))).toMatchObject({
    costUsd: 0.5,
    isCostPartial: true,
    isCostEstimated: false,
    last: { isCostPartial: true, isCostEstimated: false },
  });
});

test.concurrent("P-40 what a killed run left open is called cut off, and what it cost is not made up", async () => {
  const place = await loopWorkspace({
    script: "- - cost: 0.25\n  - say: Here I wait\n  - delayMs: 600000\n",
    tasks: [],
    files: { "projects/auth/specs/a.md": "# A\n" },
  });
  const id = (await place.task("add", "Do it", "--project", "auth")).stdout.trim();
  const run = startLive(place.folder, "--project", "auth");
  await run.says("agent.text");
  run.signal("SIGKILL");
  const { name } = await run.ended;
  const told = async (...words: readonly string[]) => await type(words, { cwd: place.folder });
  expect((await told("run", "--status", "--project", "auth")).stdout).toContain(`\n  1 · ${id} "Do it" · cut off\n`);
  expect((await told("inspect", name)).stdout).toMatch(
    new RegExp(`\n  1  \\S+  cut off  ${id} Do it\n {7}ralphctl crashed or was killed`),
  );
  expect((await told("inspect", `${name}/1`)).stdout).toMatch(/\n {2}Outcome {2}cut off\n[^]*\n {2}Cost {5}unknown\n/);
  expect((await told("status")).stdout).toContain("\nCost of the one run: at least $0.25\n");
  expect(await told("logs")).toMatchObject({
    code: 0,
    stderr: `Run ${name} crashed or was killed. Continue: ralphctl run --project auth\n`,
  });
});

test.concurrent("without a run each says so, and how to begin one of the scope that was named", async () => {
  const place = await loopWorkspace({ script: "[]", files: { "projects/auth/specs/a.md": "# A\n" } });
  for (const command of ["inspect", "logs", "report"]) {
    expect(await type([command, "--project", "auth"], { cwd: place.folder })).toMatchObject({
      code: 3,
      stdout: "",
      stderr: "No runs of the project auth yet. Start one: ralphctl run --project auth\n",
    });
  }
});
