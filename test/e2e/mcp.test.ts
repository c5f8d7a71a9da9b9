import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { TaskJson } from "../../src/domain/task-json.ts";
import { TOOLS } from "../../src/cli/mcp/tools.ts";
import { ralphctl } from "../built-program.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { mcpSession, type ToolAnswer } from "../mcp-session.ts";
import { type } from "../recording-io.ts";
import { temporaryFolder, temporaryRepository } from "../temporary-folder.ts";

async function workspace(): Promise<{ readonly cwd: string; readonly id: string }> {
  const cwd = temporaryRepository({ "projects/auth/specs/a.md": "x" });
  await type(["init"], { cwd });
  const { stdout } = await type(["task", "add", "Do it"], { cwd });
  return { cwd, id: stdout.trim() };
}

const json = ({ texts, isError }: ToolAnswer): unknown => {
  expect({ isError, count: texts.length }).toEqual({ isError: false, count: 1 });
  return JSON.parse(texts[0]!);
};

const session = (id: string): Record<string, string> => ({
  RALPHCTL_ATTEMPT: "r-20261116-014755-3f2a.2.7",
  RALPHCTL_RUN: "r-20261116-014755-3f2a",
  RALPHCTL_TASK: id,
  RALPHCTL_SCOPE: "workspace",
});

const MISTAKES: readonly [tool: string, args: Record<string, unknown>, sentence: RegExp, hint: RegExp][] = [
  ["task_show", {}, /^id is missing$/, /^Send id: the task, by id or unique prefix$/],
  ["task_show", { id: 5 }, /^id must be text$/, /^Send id: the task/],
  ["task_add", { title: "x", gates: ["a"] }, /^Unknown argument "gates"$/, /^Send only: title, /],
  ["task_add", { title: "x", need: ["a"] }, /^Unknown argument "need"$/, /^Did you mean needs\?$/],
  ["task_add", { title: "x", needs: "a" }, /^needs must be a list of texts$/, /^Send needs: ids /],
  ["task_list", { status: ["dnoe"] }, /^status "dnoe" is not one of its choices$/, /^Send status: ready, blocked/],
  ["task_list", { limit: 0 }, /^limit must be 1 or more$/, /^Send limit: 1$/],
  ["task_list", { project: "a", change: "b" }, /^--project and --change cannot be used together$/, /^Use one of/],
  ["task_show", { id: "nope" }, /^There is no task/, /./],
];

const HELLO = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } };

describe("ralphctl mcp", () => {
  test("E-07 says at a terminal what it waits for, and nothing to a client", async () => {
    const { cwd } = await workspace();
    const { code, stdout, stderr } = await type(["mcp"], { cwd, answer: true });
    expect([code, stdout, stderr]).toEqual([0, "", expect.stringMatching(/^This waits for an MCP client/)]);
    expect((await type(["mcp"], { cwd })).stderr).toBe("");
  });

  test("tells what it is and which tools it has, and ends with its client", async () => {
    const { cwd } = await workspace();
    const { client, pid } = await mcpSession(cwd);
    expect(client.getServerVersion()).toMatchObject({ name: "ralphctl", version: "0.1.0" });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    expect(tools.find(({ name }) => name === "task_done")).toMatchObject({
      inputSchema: { type: "object", required: ["id"], additionalProperties: false },
      annotations: { readOnlyHint: false },
    });
    await client.close();
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });

  test("lists, shows and adds tasks as --json prints them, and reads the context", async () => {
    const { cwd, id } = await workspace();
    await type(["context", "add", "Mind the gap."], { cwd });
    const { call } = await mcpSession(cwd);
    const more = { title: "More", needs: [id.slice(0, -1)], acceptance: ["It works"], project: "auth" };
    const added = json(await call("task_add", more)) as TaskJson;
    expect(added).toMatchObject({ title: "More", needs: [id], scope: "project/auth", acceptance: ["It works"] });
    const all = JSON.parse((await type(["task", "list", "--json"], { cwd })).stdout) as TaskJson[];
    expect(json(await call("task_list"))).toEqual({ tasks: all, hasMore: false });
    expect(json(await call("task_list", { status: ["ready"], limit: 1 }))).toEqual({ tasks: [all[0]], hasMore: false });
    expect(json(await call("task_list", { limit: 1 }))).toEqual({ tasks: [all[0]], hasMore: true });
    const shown = JSON.parse((await type(["task", "show", added.id, "--json"], { cwd })).stdout) as object;
    expect(json(await call("task_show", { id: added.id }))).toEqual(shown);
    expect(shown).toMatchObject({ log: [{ by: "agent" }] });
    expect(json(await call("context_show"))).toEqual({ version: 1, scope: "workspace", text: "Mind the gap.\n" });
  });

  test("W-01 P-13 outside a session nothing can be claimed, and no task changes", async () => {
    const { cwd, id } = await workspace();
    const { call } = await mcpSession(cwd);
    const refused = {
      texts: [
        `error: Cannot make a claim here: this server was not started inside a session of ralphctl run\nhint: Ask a person, whose \`ralphctl task done ${id}\` runs the gates; inside a session, pass the variables RALPHCTL_* on to the server`,
      ],
      isError: true,
    };
    expect(await call("task_done", { id })).toEqual(refused);
    expect(await call("task_fail", { id, reason: "No" })).toEqual(refused);
    expect(await call("task_park", { id, question: "Why?" })).toEqual(refused);
    expect(json(await call("task_list"))).toMatchObject({ tasks: [{ status: "pending" }] });
  });

  test("W-01 inside a session only the assigned task can be claimed, and a claim changes no state", async () => {
    const { cwd, id } = await workspace();
    const other = (await type(["task", "add", "Other"], { cwd })).stdout.trim();
    const { call } = await mcpSession(cwd, { env: session(id) });
    expect(await call("task_done", { id: other })).toEqual({
      texts: [expect.stringMatching(`^error: This session can claim only its own task: ${id}\nhint: Name that one`)],
      isError: true,
    });
    expect(await call("task_done", { id, summary: "All of it" })).toEqual({
      texts: [`Recorded that ${id} is done; ralphctl will check it when this session ends`],
      isError: false,
    });
    expect(json(await call("task_show", { id }))).toMatchObject({
      status: "pending",
      log: expect.arrayContaining([expect.objectContaining({ by: "agent", kind: "claim" })]),
    });
  });

  test("what is wrong with a call is said with a sentence and a hint, and the server goes on", async () => {
    const { cwd } = await workspace();
    const { call } = await mcpSession(cwd);
    for (const [name, args, sentence, hint] of MISTAKES) {
      const { texts, isError } = await call(name, args);
      const [, message, advice] = /^error: (.*)\nhint: (.*)$/.exec(texts.join()) ?? [];
      expect({ name, args, isError, message, advice }).toEqual({
        name,
        args,
        isError: true,
        message: expect.stringMatching(sentence),
        advice: expect.stringMatching(hint),
      });
    }
  });

  test("X-0 ends when nobody sends any more and all is answered; a line that is no message is passed over", async () => {
    const { cwd } = await workspace();
    expect(await ralphctl(["mcp"], { cwd })).toEqual({ code: 0, stdout: "", stderr: "" });
    const lines = [
      { jsonrpc: "2.0", id: 1, method: "initialize", params: HELLO },
      { a: 1 },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "task_list" } },
    ].map((message) => `${JSON.stringify(message)}\n`);
    expect(await ralphctl(["mcp"], { cwd, input: `nonsense\n${lines.join("")}` })).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\{.*"id":1.*\}\n\{.*"id":2.*\}\n$/),
      stderr: "warning: A line of standard input is not a protocol message\n",
    });
  });

  test("speaks the newest version of the protocol, too", async () => {
    const { cwd, id } = await workspace();
    const { client, call } = await mcpSession(cwd, { versionNegotiation: { mode: "auto" } });
    expect(client.getProtocolEra()).toBe("modern");
    expect(json(await call("task_show", { id }))).toMatchObject({ id });
  });

  test("X-78 where there is no workspace every tool says so, and the server goes on", async () => {
    const { call } = await mcpSession(temporaryFolder());
    for (const name of ["task_list", "context_show"]) {
      expect(await call(name)).toEqual({
        texts: [expect.stringMatching(/^error: No workspace here: .*\nhint: Run ralphctl init$/)],
        isError: true,
      });
    }
  });
});

describe("an agent in a run", () => {
  const agent = (how: "whole" | "filtered", ...calls: readonly (readonly [tool: string, args: object])[]): string =>
    JSON.stringify(`node ${resolve("test/mcp-agent.mjs")} '${JSON.stringify(calls)}' ${how} > said.txt`);

  test("P-13 X-0 claims its task by MCP, and the gates prove it", async () => {
    const place = await loopWorkspace({
      script: ([id]) => `sessions:
  - steps:
      - write: { path: done.txt, text: "x" }
      - run: ${agent("whole", ["task_done", { id, summary: "It is there" }], ["task_add", { title: "Found" }])}
      - say: I claimed it.
`,
    });
    const run = await place.run("--max-iterations", "1");
    expect([run.outcomes, run.code]).toEqual([["verified"], 4]);
    expect(run.events.find((event) => event.type === "claim.made")).toMatchObject({
      claim: "done",
      channel: "command",
    });
    expect(place.read("said.txt")).toMatch(/^answered: Recorded that .* is done; .*\nanswered: \{"id":/);
    expect(await place.states()).toEqual({ "Do it": "done", Found: "pending" });
    expect(place.commits()).toEqual(["Do it"]);
  });

  test("P-13 W-01 a client that passes no variables on is in the session all the same; a false claim is rejected", async () => {
    const place = await loopWorkspace({
      script: ([id]) => `sessions:
  - steps:
      - write: { path: other.txt, text: "x" }
      - run: ${agent("filtered", ["task_done", { id }])}
      - say: I claimed it.
`,
    });
    const run = await place.run("--max-iterations", "1");
    expect([run.outcomes, await place.states(), place.commits()]).toEqual([["rejected"], { "Do it": "pending" }, []]);
    expect(place.git("show", `refs/ralph/work/${place.ids[0]}:said.txt`)).toMatch(
      /^answered: Recorded that .* is done; /,
    );
  });
});
