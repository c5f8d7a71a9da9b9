import { describe, expect, test } from "vitest";
import { type Answer, type } from "../../test/recording-io.ts";
import { temporaryRepository } from "../../test/temporary-folder.ts";
import { openStore } from "../app/task-store.ts";
import { readCommandClaim, type CommandClaim } from "../loop/command-claims.ts";
import type { Store } from "../store/store.ts";
import { commands } from "./commands/index.ts";

const newFolder = (config = ""): string =>
  temporaryRepository({ ".ralph/config.yaml": config, "projects/x/specs/a.md": "" });

const ATTEMPT = "r-20261116-014755-3f2a.2.7";
const SESSION = { PATH: process.env["PATH"]!, RALPHCTL_ATTEMPT: ATTEMPT, RALPHCTL_RUN: "r-20261116-014755-3f2a" };

/** A workspace with tasks in it, and a session that works on the first. */
function world(config?: string, more: Readonly<Record<string, string>> = {}) {
  const cwd = newFolder(config);
  const env = { ...SESSION, RALPHCTL_TASK: "a", RALPHCTL_SCOPE: "workspace", ...more };
  const withStore = async <Result>(work: (store: Store) => Promise<Result>): Promise<Result> => {
    const { store } = await openStore(cwd, {});
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  return {
    withStore,
    have: (...ids: readonly string[]) =>
      withStore((store) => store.add(ids.map((id) => ({ id, scope: "workspace", title: id })))),
    inside: (...argv: readonly string[]): Promise<Answer> => type(argv, { cwd, env }),
    listed: (input: string): Promise<Answer> => type(["task", "add", "-"], { cwd, env, input }),
    claim: (): Promise<CommandClaim | undefined> => withStore((store) => readCommandClaim(store, "a", ATTEMPT)),
  };
}

describe("which commands work inside a session", () => {
  const ALLOWED = [
    ..."add list show ready tree log done fail park".split(" ").map((verb) => `task ${verb}`),
    "prompt",
    "context show",
    "mcp",
    "complete",
    "scripted-agent",
    "replay-agent",
    "acp-agent",
  ];
  const refusal = /^error: ralphctl [a-z ]+ cannot run inside a session\nhint: Use one of: [a-z ,]+\n$/;

  test("W-01 it is these and no others", () => {
    expect(commands.flatMap(({ name, inSession }) => (inSession ? [name] : [])).sort()).toEqual([...ALLOWED].sort());
  });

  test("T-16 every command either only looks, or is refused, or is one of five that a session needs", () => {
    const words = (text: string): string[] => text.trim().split(/\s*[,\n]\s*/);
    const looking = words(`
      task list, task show, task ready, task tree, task graph, task dep list, task export
      prompt, context show, project list, change list, sprint status, status, logs, inspect, report, lanes show, lanes open, gates show
      config get, config path, config schema, completion, complete, mcp, scripted-agent, replay-agent, acp-agent`);
    const refused = words(`
      init, run, step, demo, trust, verify, land, undo, lanes take, lanes drop, lanes rm, lanes gc, stop, pause, resume, watch, ui, doctor
      worker, fleet init, fleet status
      task edit, task reset, task answer, task allow, task approve, task drop, task rm, task dep add, task dep rm, task import
      config set, config unset, config edit, notify test, upgrade, gates approve, context add, context clear, sprint start, sprint stop`);
    // A new task is the agent's (W-01), a note too, and the others claim the session's own task (P-13).
    const open = words("task add, task log, task done, task fail, task park");
    expect(commands.map(({ name }) => name).sort()).toEqual([...looking, ...refused, ...open].sort());
    const isOpen = (name: string): boolean => commands.find((command) => command.name === name)?.inSession === true;
    expect([refused.filter(isOpen), open.filter((name) => !isOpen(name))]).toEqual([[], []]);
  });

  test.each(
    commands.map(({ name, args = [] }) => ({ name, words: args.flatMap((one) => (one.isOptional ? [] : ["x"])) })),
  )("W-01 $name is refused exactly when it is none of them", async ({ name, words }) => {
    const { inside } = world();
    const { code, stdout, stderr } = await inside(...name.split(" "), ...words);
    if (ALLOWED.includes(name)) return expect(stderr).not.toMatch(refusal);
    expect({ code, stdout, stderr }).toEqual({ code: 64, stdout: "", stderr: expect.stringMatching(refusal) });
  });

  test("W-01 the sentence comes before what is wrong with the words, and for what a word alone means", async () => {
    const { inside } = world();
    for (const argv of [["task", "edit"], ["init", "--bogus"], ["config"], ["task", "dep", "a"]]) {
      expect(await inside(...argv)).toMatchObject({ code: 64, stderr: expect.stringMatching(refusal) });
    }
    expect(await inside("run", "build")).toMatchObject({ code: 64, stdout: "" });
  });

  test("W-01 T-16 help and version work, of any command; an empty variable is a session all the same", async () => {
    const { inside } = world();
    for (const argv of [["--version"], ["--help"], ["help", "task", "rm"], ["init", "--help"]]) {
      expect(await inside(...argv)).toMatchObject({ code: 0, stderr: "" });
    }
    const cwd = newFolder();
    for (const env of [{ RALPHCTL_ATTEMPT: "" }, { RALPHCTL_ATTEMPT: "", RALPHCTL_DOOR: "" }, { RALPHCTL_DOOR: "" }]) {
      expect(await type(["config", "path"], { cwd, env })).toMatchObject({ code: 64, stdout: "" });
    }
    expect(await type(["config", "path"], { cwd, env: { RALPHCTL_RUN: "r-1" } })).toMatchObject({ code: 0 });
  });
});

describe("the channels of a session", () => {
  test("P-13 W-05 done, fail and park record a claim of the assigned task and change nothing else", async () => {
    const { have, inside, claim, withStore } = world();
    await have("a", "b");
    const before = await withStore((store) => store.get("a"));
    expect(await inside("task", "done", "a", "The parser;", "`reads` $(all)")).toEqual({
      code: 0,
      stdout: "",
      stderr: "Recorded that a is done; ralphctl will check it when this session ends\n",
    });
    expect(await claim()).toEqual({ claim: "done", text: "The parser; `reads` $(all)" });
    await inside("task", "fail", "a", "No", "compiler");
    expect(await claim()).toEqual({ claim: "failed", text: "No compiler" });
    await inside("task", "fail", "a", "--reason", "No disk");
    expect(await claim()).toEqual({ claim: "failed", text: "No disk" });
    await inside("task", "park", "a", "Which port?");
    expect(await claim()).toEqual({ claim: "parked", text: "Which port?" });
    await inside("task", "done", "a", "--summary", "In the end");
    expect(await claim()).toEqual({ claim: "done", text: "In the end" });
    expect(await withStore((store) => store.get("a"))).toEqual(before);
  });

  test("P-13 another task, or several, cannot be claimed", async () => {
    const { have, inside, claim, withStore } = world();
    await have("a", "b");
    const refused = {
      code: 64,
      stdout: "",
      stderr: expect.stringMatching(/^error: This session can claim only its own task: a\nhint: Name /),
    };
    expect(await inside("task", "done", "b")).toEqual(refused);
    expect(await inside("task", "done", "a", "b")).toEqual(refused);
    expect(await inside("task", "fail", "b", "no")).toEqual(refused);
    expect(await inside("task", "park", "nowhere", "why?")).toEqual(refused);
    expect([await claim(), await withStore((store) => store.log("b"))]).toEqual([undefined, []]);
  });

  test("P-13 in plan mode there is nothing to claim, and a failure needs a reason", async () => {
    const plan = world("", { RALPHCTL_TASK: "" });
    await plan.have("a");
    expect(await plan.inside("task", "done", "a")).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/^error: This session has no assigned task/),
    });
    const build = world();
    await build.have("a");
    expect(await build.inside("task", "fail", "a")).toMatchObject({ code: 64, stdout: "" });
    expect(await build.claim()).toBeUndefined();
  });

  test("P-13 a claim is its attempt's own, and junk in the log is passed over", async () => {
    const { have, inside, claim, withStore } = world();
    await have("a");
    await inside("task", "done", "a", "first");
    await withStore(async (store) => {
      const claims = ["{", "null", "[]", '{"claim":"done"}', `{"attempt":"${ATTEMPT}","claim":"eaten","text":""}`];
      for (const text of claims) await store.note("a", { by: "agent", kind: "claim", text });
      const words = (attempt: string) => JSON.stringify({ attempt, claim: "failed", text: "x" });
      await store.note("a", { by: "agent", kind: "claim", text: words("r-1.1.1") });
      await store.note("a", { by: "person", kind: "claim", text: words(ATTEMPT) });
      await store.note("a", { by: "agent", kind: "note", text: words(ATTEMPT) });
      expect(await readCommandClaim(store, "a", "r-1.1.1")).toEqual({ claim: "failed", text: "x" });
      expect(await readCommandClaim(store, "nobody", ATTEMPT)).toBeUndefined();
    });
    expect(await claim()).toEqual({ claim: "done", text: "first" });
  });

  test("W-01 a note in the log is the agent's", async () => {
    const { have, inside, withStore } = world();
    await have("a");
    expect(await inside("task", "log", "a", "--add", "port 80 is taken")).toMatchObject({ code: 0 });
    expect(await withStore((store) => store.log("a"))).toEqual([
      { at: expect.any(Number), by: "agent", kind: "note", text: "port 80 is taken" },
    ]);
  });
});

describe("tasks that a session adds", () => {
  const added = (answer: Answer): string[] => answer.stdout.trim().split("\n");

  test("W-01 belong to its scope unless it says otherwise, and are recorded as the agent's", async () => {
    const { have, inside, withStore, listed } = world("", { RALPHCTL_SCOPE: "project/x" });
    await have("a");
    const [own] = added(await inside("task", "add", "Own"));
    const [part] = added(await inside("task", "add", "Part", "--parent", "a", "--priority", "1", "--tag", "t"));
    const many = added(await listed("- One\n- Two\n"));
    const scopes = await withStore((store) =>
      Promise.all([own!, part!, ...many].map(async (id) => (await store.get(id))!.scope)),
    );
    expect(scopes).toEqual(["project/x", "workspace", "project/x", "project/x"]);
    expect(await withStore((store) => store.log(own!))).toEqual([
      { at: expect.any(Number), by: "agent", kind: "added", text: "" },
    ]);
  });

  test("W-01 D-05 those beyond limits.newTasks of the run are added, but parked, and it is said", async () => {
    const { inside, listed, withStore } = world("limits: { newTasks: 3 }\n");
    await inside("task", "add", "1");
    const { stdout, stderr, code } = await listed("- 2\n- 3\n- 4\n- 5\n");
    const ids = stdout.trim().split("\n");
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "warning: 2 tasks are parked for a person to review: a run may add at most 3 new tasks\n",
    });
    const shown = await withStore((store) => Promise.all(ids.map((id) => store.get(id))));
    const question = "Added by a session beyond the limit of 3 new tasks. Keep it?";
    expect(shown.map((task) => [task!.title, task!.status, task!.question])).toEqual([
      ["2", "pending", undefined],
      ["3", "pending", undefined],
      ["4", "parked", question],
      ["5", "parked", question],
    ]);
    expect((await inside("task", "add", "6")).stderr).toMatch(/^warning: t-[0-9a-f]+ is parked for a person/);
  });

  test("W-01 two that add at once are both counted", async () => {
    const { inside, withStore } = world("limits: { newTasks: 4 }\n");
    await inside("task", "list");
    await Promise.all(Array.from({ length: 8 }, (_, n) => inside("task", "add", `n${n}`)));
    const { tasks } = await withStore((store) => store.list());
    expect(tasks.filter(({ status }) => status === "parked")).toHaveLength(4);
  });

  test("W-01 what decides about proof is not for the agent to say", async () => {
    const { inside, listed, withStore } = world();
    const hint = "hint: Set only title, description, acceptance, needs, priority, parent and tags\n";
    const refused = (what: string) => ({
      code: 64,
      stdout: "",
      stderr: `error: Inside a session a new task cannot set ${what}\n${hint}`,
    });
    expect(await inside("task", "add", "x", "--gate", "a=true")).toEqual(refused("its gates"));
    expect(await inside("task", "add", "x", "--model", "m")).toEqual(refused("its model"));
    expect(await inside("task", "add", "x", "--attempts", "9")).toEqual(refused("its attempts"));
    expect(await inside("task", "add", "x", "--may-change", "*")).toEqual(refused("which files it may change"));
    expect(await inside("task", "add", "x", "--allow-no-change")).toEqual(refused("that no change is needed"));
    expect(await listed('{"title":"x"}\n{"title":"y","status":"done"}\n')).toEqual(refused("its status"));
    expect(await listed('{"title":"x","attempts":-5}\n')).toEqual(refused("its attempts"));
    expect(await listed("- [x] done already\n")).toEqual(refused("its status"));
    expect(await withStore(async (store) => (await store.list()).tasks)).toEqual([]);
  });
});
