import { appendFileSync, closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { loopWorkspace } from "../loop-workspace.ts";
import { fileAppears, startLive } from "../live-run.ts";
import { PROGRAM, start } from "../built-program.ts";
import { servedPage } from "../page-client.ts";

const steps = (...all: readonly string[]): string =>
  `sessions:\n  - steps:\n${all.map((step) => `      - ${step}\n`).join("")}`;
const END = ["write: { path: done.txt, text: done }", "say: <task-done>{task}</task-done>"];
const HELD = steps('run: "touch {home}/here; while [ ! -e {home}/go ]; do sleep 0.05; done"', ...END);
const ASKING = steps(
  'run: "env -u RALPHCTL_ATTEMPT RALPHCTL_HOOK=mine node {home}/ask.mjs > {home}/said; while [ ! -e {home}/go ]; do sleep 0.05; done"',
  ...END,
);
const LONG = { timeout: 50_000, interval: 20 };
const FROM = "from the page at 127.0.0.1";

describe("U-04 writes of the page", () => {
  test("U-04 a question is answered, a failed task opened again, a task parked, dropped and commented, each in its log", async () => {
    const { folder, ids, task, states, ralphctl } = await loopWorkspace({
      script: steps(...END),
      tasks: ["Ask", "Break", "Wait", "Leave", "Comment"],
    });
    const [ask, broken, wait, leave, comment] = ids as [string, string, string, string, string];
    await task("park", ask, "Which colour?");
    await task("fail", broken, "--reason", "It does not compile");
    const page = await servedPage(folder);
    const said = async (verb: string, body: unknown): Promise<unknown> => (await page.post(verb, body)).json;
    expect(await said("answer", { task: ask, text: "Blue" })).toEqual({
      said: `${ask} is pending again, with the answer in its description`,
    });
    expect(await said("retry", { task: broken })).toEqual({ said: `${broken} is pending again` });
    expect(await said("park", { task: wait, question: "Why?" })).toEqual({ said: `${wait} is parked` });
    expect(await said("drop", { task: leave, reason: "Not now" })).toEqual({ said: `${leave} is dropped` });
    const words = { task: comment, file: "src/a b.ts", line: 12, text: "Use the mailer that is there" };
    expect(await said("comment", words)).toEqual({ said: `The next attempt at ${comment} will see it` });
    expect(await states()).toEqual({
      Ask: "pending",
      Break: "pending",
      Wait: "parked",
      Leave: "dropped",
      Comment: "pending",
    });
    for (const [id, what] of [
      [ask, "answer"],
      [broken, "reset"],
      [wait, "park"],
      [leave, "drop"],
      [comment, "comment on src/a b.ts:12"],
    ] as const) {
      expect((await page.get(`/tasks/${id}`)).json.log).toContainEqual(
        expect.objectContaining({ by: "person", kind: "from", text: `${what} ${FROM}` }),
      );
    }
    await task("drop", ask, "--reason", "x");
    await task("drop", broken, "--reason", "x");
    await task("drop", wait, "--reason", "x");
    const { stdout: prompt } = await ralphctl("prompt", "-q");
    expect(prompt).toContain("Comment on src/a b.ts:12: Use the mailer that is there");
  });

  test("T-16 U-04 an agent that reads the token can do nothing by it, and a person can meanwhile", async () => {
    const place = await loopWorkspace({ script: ASKING, tasks: ["Work", "Other"] });
    const { folder, ids, states } = place;
    const page = await servedPage(folder);
    const [, other] = ids as [string, string];
    place.write({
      "ask.mjs": `
        const headers = { "x-ralphctl-token": ${JSON.stringify(page.token)}, "content-type": "application/json" };
        const body = JSON.stringify({ task: ${JSON.stringify(other)} });
        const answer = await fetch("http://127.0.0.1:${page.port}/api/v1/do/drop", { method: "POST", headers, body });
        console.log(answer.status, await answer.text());`,
    });
    const live = startLive(folder);
    await fileAppears(join(folder, "said"));
    await vi.waitUntil(() => readFileSync(join(folder, "said"), "utf8").includes("}"), LONG);
    expect(readFileSync(join(folder, "said"), "utf8")).toBe(
      '403 {"error":"An agent can only claim, so this is for people","hint":"Say in the final message what you need"}\n',
    );
    expect((await states())["Other"]).toBe("pending");
    expect((await page.post("drop", { task: other })).json).toEqual({ said: `${other} is dropped` });
    place.write({ go: "" });
    await live.ended;
  });

  test("U-04 words for agents go to the scope that they are for, and nowhere else", async () => {
    const { folder, ralphctl } = await loopWorkspace({ script: steps(...END) });
    const page = await servedPage(folder);
    expect((await page.post("context", { text: "Use pnpm" })).json.said).toContain("will see it");
    expect((await ralphctl("context")).stdout).toContain("Use pnpm");
    for (const scope of ["project/../../x", "sprint//etc", "../x"]) {
      expect(await page.post("context", { text: "x", scope })).toMatchObject({ status: 422 });
    }
  });

  test("U-04 a run is paused, resumed and stopped from the page, and its log says from where", async () => {
    const place = await loopWorkspace({ script: HELD });
    const { folder } = place;
    const live = startLive(folder);
    await fileAppears(join(folder, "here"));
    const page = await servedPage(folder);
    const run = (await page.get("/status")).json.running[0].run as string;
    expect((await page.post("pause", { run })).json).toEqual({ said: `Run ${run} will pause after this iteration` });
    await live.says("run.asked", { pause: true, from: FROM });
    expect((await page.post("resume", { run })).json).toEqual({ said: `Run ${run} continues` });
    await live.says("run.asked", { pause: false });
    expect((await page.post("stop-after", { run })).status).toBe(200);
    await live.says("run.asked", { stop: true, from: FROM });
    expect((await page.post("stop", { run })).json.said).toContain(`Run ${run} stops`);
    const { finished } = await live.ended;
    expect(finished?.ending).toBe("interrupted");
    expect(await page.post("stop", { run })).toMatchObject({
      status: 409,
      json: { error: `Run "${run}" is not running` },
    });
    expect(await page.post("pause", { run: "r-nothing" })).toMatchObject({ status: 409 });
  });

  test("U-04 a body must be JSON with exactly the fields of its verb", async () => {
    const { folder, ids, states } = await loopWorkspace({ script: steps(...END) });
    const page = await servedPage(folder);
    const headers = { host: `127.0.0.1:${page.port}`, "x-ralphctl-token": page.token };
    const path = "/api/v1/do/drop";
    const send = async (body: string, type?: string) =>
      (await page.send({ method: "POST", path, headers: { ...headers, ...(type && { "content-type": type }) }, body }))
        .status;
    const good = JSON.stringify({ task: ids[0] });
    expect(await send(good)).toBe(415);
    expect(await send(good, "text/plain")).toBe(415);
    expect(await send(good, "application/x-www-form-urlencoded")).toBe(415);
    expect(await send("{", "application/json")).toBe(400);
    for (const body of [
      "[]",
      "null",
      '"x"',
      "{}",
      '{"task":1}',
      '{"task":" "}',
      '{"task":"t\\u0000"}',
      `{"task":"${ids[0]}","path":"x"}`,
    ]) {
      expect(await send(body, "application/json")).toBe(422);
    }
    expect(await page.post("config", {})).toMatchObject({ status: 404 });
    expect(await page.post("constructor", {})).toMatchObject({ status: 404 });
    expect(await page.get("/do/drop")).toMatchObject({ status: 405, headers: { allow: "POST" } });
    expect(await page.post("drop", { task: "t-nothing" })).toMatchObject({ status: 404 });
    expect(await states()).toEqual({ "Do it": "pending" });
    expect(await send(good, "application/json; charset=utf-8")).toBe(200);
  });
});

describe("U-10 texts of an iteration", () => {
  test("U-10 prompt, diff, transcript, gate output, report and gates are there, in windows", async () => {
    const { folder, run, ids } = await loopWorkspace({
      script: steps('write: { path: note.txt, text: "one\\ntwo\\nthree\\n" }', ...END),
      config: `gates:\n  - { id: test, run: "test -f done.txt && seq 1 9" }\n`,
    });
    const { name } = await run();
    const page = await servedPage(folder);
    const at = `/runs/${name}/1`;
    const diff = await page.get(`${at}/diff`);
    expect(diff.headers).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
    });
    expect(diff.text).toContain("+two\n");
    const part = await page.get(`${at}/diff?from=2&lines=3`);
    expect(part.text).toBe(`${diff.text.split("\n").slice(1, 4).join("\n")}\n`);
    expect(part.headers["x-ralphctl-total"]).toBe(String(diff.text.split("\n").length - 1));
    expect((await page.get(`${at}/prompt`)).text).toContain(ids[0]);
    expect((await page.get(`${at}/gate/0?from=8&lines=2`)).text).toBe("8\n9\n");
    const talk = await page.get(`${at}/transcript`);
    expect(talk.json.map(({ type }: { type: string }) => type)).toContain("agent.ended");
    expect((await page.get(`${at}/transcript?from=2&lines=1`)).json).toEqual([talk.json[1]]);
    expect((await page.get(at)).json).toMatchObject({ kind: "iteration", iteration: 1, task: { id: ids[0] } });
    expect((await page.get(`/runs/${name}`)).json).toMatchObject({ kind: "run", run: name });
    const report = await page.get(`/runs/${name}/report`);
    expect(report.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(report.headers["content-security-policy"]).toContain("sandbox");
    expect(report.text).toContain(name);
    expect((await page.get("/gates")).json).toEqual([
      {
        gate: "test",
        runs: expect.any(Number),
        failed: expect.any(Number),
        flaky: 0,
        medianMs: expect.any(Number),
        p95Ms: expect.any(Number),
      },
    ]);
    for (const wrong of [`${at}/diff?from=0`, `${at}/diff?lines=x`, `${at}/transcript?from=0`]) {
      expect((await page.get(wrong)).status).toBe(422);
    }
    for (const nowhere of [
      "/runs/r-nothing",
      `/runs/${name}/77`,
      `/runs/${name}/x/prompt`,
      `${at}/gate/7`,
      `${at}/gate/x`,
    ]) {
      expect([nowhere, (await page.get(nowhere)).status]).toEqual([nowhere, 404]);
    }

    // What came after the last answer is found without a look at what lies before it.
    const [log, ended] = [join(folder, ".ralph", "runs", name, "events.ndjson"), talk.json.at(-1)];
    const file = openSync(log, "r+");
    const first = readFileSync(log, "utf8").indexOf("\n");
    writeSync(file, " ".repeat(readFileSync(log).length - first - 1), first);
    closeSync(file);
    appendFileSync(log, `${JSON.stringify({ ...ended, type: "agent.text", text: "More" })}\n${JSON.stringify(ended)}`);
    const rest = await page.get(`${at}/transcript?from=${talk.json.length + 1}`);
    expect(rest.json.map(({ type }: { type: string }) => type)).toEqual(["agent.text", "agent.ended"]);
    expect(rest.headers["x-ralphctl-total"]).toBe(String(talk.json.length + 2));
  });
});

test("U-10 the example answers a question over the API", async () => {
  const { folder, ids, task, states } = await loopWorkspace({ script: steps(...END) });
  await task("park", ids[0]!, "Which colour?");
  await servedPage(folder);
  const example = async (...words: readonly string[]) =>
    await start(process.execPath, [join(process.cwd(), "examples/answer.mjs"), ...words], {
      cwd: folder,
      env: { RALPHCTL: `${process.execPath} ${PROGRAM}` },
    });
  expect(await example()).toMatchObject({ code: 0, stdout: `${ids[0]}  Do it: Which colour?\n` });
  expect(await example("Blue")).toMatchObject({
    code: 0,
    stdout: `${ids[0]} is pending again, with the answer in its description\n`,
  });
  expect(await states()).toEqual({ "Do it": "pending" });
  expect(await example("Blue")).toMatchObject({ code: 0, stdout: "Nothing waits for an answer\n" });
});
