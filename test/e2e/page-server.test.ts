import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loopWorkspace } from "../loop-workspace.ts";
import { fileAppears, startLive } from "../live-run.ts";
import { workRef } from "../../src/system/git/work-ref.ts";
import { DONE as CLAIM, scriptFor, sh, WORK } from "../hostile-run.ts";
import { servedPage } from "../page-client.ts";
import { homeOf } from "../temporary-folder.ts";
import { ralphctl } from "../built-program.ts";

const steps = (...all: readonly string[]): string =>
  `sessions:\n  - steps:\n${all.map((step) => `      - ${step}\n`).join("")}`;
const END = ["write: { path: done.txt, text: done }", "say: <task-done>{task}</task-done>"];
const DONE = steps(...END);
const HELD = steps('run: "touch {home}/here; while [ ! -e {home}/go ]; do sleep 0.05; done"', ...END);

describe("the server of the page", () => {
  test("U-01 serves the page, its script and its style, and ends when it is interrupted", async () => {
    const { folder } = await loopWorkspace({ script: DONE });
    const page = await servedPage(folder);
    const index = await page.send({ path: "/", headers: { host: `127.0.0.1:${page.port}` } });
    expect(index.status).toBe(200);
    expect(index.text).toContain('<script type="module" src="/main.js"></script>');
    for (const [name, type] of [
      ["main.js", "text/javascript; charset=utf-8"],
      ["page.css", "text/css; charset=utf-8"],
    ] as const) {
      const { status, headers, text } = await page.send({
        path: `/${name}`,
        headers: { host: `localhost:${page.port}` },
      });
      expect({ status, type: headers["content-type"], text }).toEqual({
        status: 200,
        type,
        text: readFileSync(`dist/page/${name}`, "utf8"),
      });
    }
    expect(await page.end()).toBe(0);
  });

  test("U-03 only this user can read the file by which --url finds a server that runs already", async () => {
    const { folder } = await loopWorkspace({ script: DONE });
    const none = await ralphctl(["ui", "--url"], { cwd: folder });
    expect(none).toMatchObject({ code: 69, stdout: "", stderr: expect.stringContaining("hint: Run ralphctl ui") });
    const page = await servedPage(folder);
    expect(await ralphctl(["ui", "--url"], { cwd: folder })).toMatchObject({ code: 0, stdout: `${page.url}\n` });
    expect(await ralphctl(["ui", "--no-open"], { cwd: folder })).toMatchObject({ code: 0, stdout: `${page.url}\n` });
    const state = join(homeOf(folder).XDG_STATE_HOME, "ralphctl", "page");
    const file = readdirSync(state).find((name) => readFileSync(join(state, name), "utf8").includes(page.token));
    expect(statSync(join(state, file!)).mode & 0o777).toBe(0o600);
    await page.end();
    expect(await ralphctl(["ui", "--url"], { cwd: folder })).toMatchObject({ code: 69 });
    const next = await servedPage(folder);
    expect(next.token).not.toBe(page.token);
    expect(Buffer.from(next.token, "base64url")).toHaveLength(32);
  });

  test("U-10 reads answer what --json prints", async () => {
    const { folder, ids, run, ralphctl: call } = await loopWorkspace({ script: DONE, tasks: ["Do <it>"] });
    const { name } = await run();
    const page = await servedPage(folder);
    const status = JSON.parse((await call("status", "--json")).stdout) as Record<string, unknown>;
    const shown = await page.get("/status");
    expect(shown.json).toEqual({ ...status, at: expect.any(String) });
    const task = JSON.parse((await call("task", "show", ids[0]!, "--json")).stdout) as Record<string, unknown>;
    const looked = JSON.parse((await call("inspect", ids[0]!, "--json")).stdout) as { attempts: unknown };
    expect((await page.get(`/tasks/${ids[0]}`)).json).toEqual({
      ...task,
      attemptLog: looked.attempts,
      verbs: ["reset"],
      evidence: null,
    });
    const graph = JSON.parse((await call("task", "graph", "--json")).stdout) as { tasks: object[]; edges: unknown };
    expect((await page.get("/graph")).json).toEqual({
      tasks: graph.tasks.map((each) => ({ ...each, needs: [] })),
      edges: graph.edges,
      critical: [],
    });
    expect((await page.get("/runs")).json).toEqual([
      expect.objectContaining({ run: name, state: "finished", ending: "complete", commits: 1, iterations: 1 }),
    ]);
  });

  test("U-08 everything that waits for a person is in the list of needs", async () => {
    const { folder, ids, task } = await loopWorkspace({ script: DONE, tasks: ["Ask", "Break", "Wait"] });
    await task("park", ids[0]!, "Which colour?");
    await task("fail", ids[1]!, "--reason", "It does not compile");
    const { json } = await (await servedPage(folder)).get("/needs");
    expect(json).toEqual([
      expect.objectContaining({ kind: "question", task: ids[0], title: "Ask", text: "Which colour?" }),
      expect.objectContaining({ kind: "failed", task: ids[1], title: "Break", text: "It does not compile" }),
    ]);
    expect(json[0].verbs).toContain("answer");
    expect(json[1].verbs).toContain("retry");
  });

  test("U-08 kept work of a task that is done needs nobody while a run goes on, which removes it a moment later", async () => {
    const place = await loopWorkspace({
      tasks: ["Work", "Hold"],
      script: scriptFor({
        Work: [WORK, CLAIM],
        Hold: [sh("touch {home}/here; while [ ! -e {home}/go ]; do sleep 0.05; done"), CLAIM],
      }),
    });
    const { folder, ids, git, run, write } = place;
    await run("--task", ids[0]!);
    git("update-ref", workRef(ids[0]!), "HEAD");
    const page = await servedPage(folder);
    const kinds = async () => ((await page.get("/needs")).json as { kind: string }[]).map(({ kind }) => kind);
    expect(await kinds()).toEqual(["lane"]);
    const live = startLive(folder);
    await fileAppears(join(folder, "here"));
    expect(await kinds()).toEqual([]);
    write({ go: "" });
    await live.ended;
    expect(await kinds()).toContain("lane");
  });

  test("U-08 places in which a killed run left work are one need, with the command that is for all of them", async () => {
    const {
      folder,
      run,
      ralphctl: call,
    } = await loopWorkspace({
      tasks: ["One", "Two"],
      script: scriptFor({ "*": [WORK, CLAIM] }),
    });
    await run("--lanes", "2");
    const shown = JSON.parse((await call("lanes", "--json")).stdout) as { folder: string };
    for (const lane of [1, 2]) {
      const row = join(shown.folder, `${lane}.json`);
      const { endedAt: _, ...open } = JSON.parse(readFileSync(row, "utf8")) as { owner: object; endedAt: string };
      // As a run leaves it that was killed: its process is gone, and it has not said that it ended.
      writeFileSync(row, JSON.stringify({ ...open, owner: { ...open.owner, startTime: "0" } }));
    }
    const page = await servedPage(folder);
    const needs = (await page.get("/needs")).json as { kind: string }[];
    expect(needs.filter(({ kind }) => kind === "lane")).toEqual([
      expect.objectContaining({
        title: "lane 1, lane 2",
        text: "A killed run left work in them",
        type: "ralphctl doctor --fix",
      }),
    ]);
  });

  test("U-07 a stream has a snapshot, then the events of the run, and says when tasks change", async () => {
    const place = await loopWorkspace({ script: HELD });
    const { folder, ids } = place;
    const page = await servedPage(folder);
    const before = page.events();
    expect((await before.until(({ event }) => event === "snapshot")).data).toBeNull();
    const live = startLive(folder);
    await fileAppears(join(folder, "here"));
    // The log is read a moment after it was written.
    await before.until(({ data }) => data?.type === "iteration.started" || data?.record?.iterations.length > 0);
    const stream = page.events();
    const snapshot = await stream.until(({ event }) => event === "snapshot");
    expect(snapshot.data).toMatchObject({
      isRunning: true,
      record: { iterations: [[1, { started: { task: { id: ids[0] } } }]] },
    });
    // The page that was open already follows the run that has begun.
    await before.until(({ event, data }) => event === "snapshot" && data?.run === snapshot.data.run);
    place.write({ go: "" });
    await live.ended;
    await stream.until(({ data }) => data?.type === "run.finished");
    const end = await stream.until(({ event, data }) => event === "snapshot" && !data.isRunning);
    expect(end.id).toBe(stream.seen.findLast(({ event }) => event === "event")?.id);
    const known = await stream.until(({ event }) => event === "workspace");
    await stream.until(({ event, data }) => event === "workspace" && data.tasks > known.data.tasks);
    const numbers = stream.seen.filter(({ event }) => event === "event").map(({ id }) => Number(id!.split(":")[1]));
    const first = Number(snapshot.id!.split(":")[1]);
    expect(numbers).toEqual(numbers.map((_, at) => first + at + 1));
    const log = readFileSync(join(folder, ".ralph/runs", snapshot.data.run, "events.ndjson"), "utf8")
      .trim()
      .split("\n");
    expect(log).toHaveLength(numbers.at(-1)!);
  });

  test("U-07 runs that could not be looked at are looked at again, and tasks do not wait for them", async () => {
    const place = await loopWorkspace({ script: DONE });
    const runs = join(place.folder, ".ralph/runs");
    // No system can follow a link to a name that is too long for it.
    symlinkSync("x".repeat(300), runs);
    const stream = (await servedPage(place.folder)).events();
    const known = await stream.until(({ event }) => event === "workspace");
    await place.task("add", "Another");
    await stream.until(({ event, data }) => event === "workspace" && data.tasks > known.data.tasks);
    expect(stream.seen.some(({ event, data }) => event === "workspace" && data.runs > known.data.runs)).toBe(false);
    unlinkSync(runs);
    await stream.until(({ event, data }) => event === "workspace" && data.runs > known.data.runs);
  });

  test("U-01 when its workspace is deleted, the server says so, and ends well", async () => {
    const place = await loopWorkspace({ script: DONE, tasks: ["Do it"] });
    const page = await servedPage(place.folder);
    const stream = page.events();
    const known = await stream.until(({ event }) => event === "workspace");
    const state = join(homeOf(place.folder).XDG_STATE_HOME, "ralphctl", "page");
    const own = readdirSync(state).find((name) => readFileSync(join(state, name), "utf8").includes(page.token))!;
    rmSync(place.folder, { recursive: true });
    await stream.until(({ event, data }) => event === "workspace" && data.tasks > known.data.tasks);
    const gone = { error: expect.stringContaining("No workspace here"), hint: "Run ralphctl init" };
    for (const path of ["/status", "/needs", "/graph", "/runs", "/gates", `/tasks/${place.ids[0]}`]) {
      expect((await page.get(path)).json).toEqual(gone);
    }
    for (const [verb, body] of [
      ["drop", { task: place.ids[0] }],
      ["context", { text: "x" }],
      ["pause", { run: "r-1" }],
    ] as const) {
      expect((await page.post(verb, body)).json).toEqual(gone);
    }
    expect(await page.end()).toBe(0);
    expect([page.told(), readdirSync(state)]).toEqual([
      expect.not.stringContaining("    at "),
      expect.not.arrayContaining([own]),
    ]);
  });
});
