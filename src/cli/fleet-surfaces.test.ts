import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { atEnd } from "../../test/at-end.ts";
import { newDatabase, postgresMissing } from "../../test/postgres.ts";
import { typed } from "../../test/recording-io.ts";
import { iterationFinished, iterationStarted, login, runFinished, runStarted } from "../../test/run-events.ts";
import { git, temporaryFolder, temporaryRepository } from "../../test/temporary-folder.ts";
import { connectFleet } from "../app/fleet/connect-fleet.ts";
import { serveMachine } from "../app/fleet/serve-machine.ts";
import { eventLine } from "../domain/run/event-line.ts";
import type { RunEvent } from "../domain/run/event.ts";
import { createBell } from "../loop/desk.ts";
import type { Fleet } from "../store/store.ts";

const LONG = { timeout: 60_000, interval: 20 };
const { run } = runStarted;
const LANE = 101;

/** Two clones of a repository that share a fleet with an active run; nothing of it is in either. */
async function twoMachines() {
  const one = temporaryRepository({
    ".ralph/config.yaml": "gates: []\n",
    ".gitignore": ".ralph/*\n!.ralph/config.yaml\n",
  });
  const other = join(temporaryFolder(), "clone");
  git(one, "clone", "--quiet", one, other);
  const env = { RALPHCTL_FLEET_URL: await newDatabase(), PATH: process.env["PATH"]!, HOME: temporaryFolder() };
  expect((await typed(["fleet", "init"], { cwd: one, env })).code).toBe(0);
  const fleet = await connectFleet({ cwd: one, env });
  atEnd(() => fleet.close());
  await fleet.beginRun({
    id: run,
    scope: "workspace",
    target: "refs/heads/main",
    request: {},
    limits: {},
    owner: { host: "elsewhere", pid: 7, startTime: "1" },
    leaseMs: 600_000,
  });
  const says = async (...words: string[]) => await typed(words, { cwd: other, env });
  return { one, other, env, fleet, says };
}

/** As the machine that did it would send it. */
async function happens(fleet: Fleet, ...events: readonly RunEvent[]): Promise<void> {
  const lines = events.map((event) => eventLine(event, { at: Date.now(), run, redact: (text) => text }));
  await fleet.appendEvents(run, { spool: "s", from: await fleet.spooled(run, "s"), lines });
}

const started = { ...iterationStarted, iteration: 1, lane: LANE, folder: `.ralph/runs/${run}/1` };

describe.skipIf(postgresMissing !== undefined)("F-04 a run of other machines", () => {
  test("F-04 status, logs, inspect, watch and report show it in a clone that has nothing of it", async () => {
    const { other, env, fleet, says } = await twoMachines();
    await happens(fleet, { ...runStarted, folder: "/elsewhere" }, started);
    expect((await says("status")).stdout).toMatch(new RegExp(`Running +${run}|${run}`));
    expect((await says("logs")).stdout).toContain(login.title);
    const seen = await says("logs", "--json");
    expect(seen.stdout.trim().split("\n")).toHaveLength(2);
    expect(await says("inspect")).toMatchObject({ stdout: expect.stringContaining("Add login") });
    const following = typed(["logs", "--follow", "--json"], { cwd: other, env });
    await happens(fleet, { ...iterationFinished, iteration: 1 });
    await happens(fleet, runFinished);
    await fleet.endRun(run, {});
    const followed = await following;
    expect([followed.code, followed.stdout.trim().split("\n").length]).toEqual([0, 4]);
    expect((await says("watch", "--plain")).code).toBe(0);
    expect((await says("report")).stdout).toContain(run);
    expect((await says("inspect", "--json")).stdout).toContain(`"${run}"`);
    expect((await says("status")).stdout).not.toContain("Running");
    // W-06: what it left is its copy of the fleet's events, and nothing else.
    expect(readdirSync(join(other, ".ralph", "runs", run)).sort()).toEqual(["events.ndjson", "events.ndjson.turn"]);
    expect(readFileSync(join(other, ".ralph", "runs", run, "events.ndjson"), "utf8")).toBe(followed.stdout);
  });

  test("F-04 lanes of all machines are told apart, and what to type next is for the fleet", async () => {
    const { fleet, says } = await twoMachines();
    const ofFleet = { ...runStarted, fleet: true, lanes: 1 };
    const other = { ...started, iteration: 2, lane: 201, task: { id: "t-2", title: "Add logout" } };
    await happens(fleet, ofFleet, started, other, { type: "agent.text", iteration: 2, text: "Looking.\n" });
    await fleet.store.add([{ scope: "workspace", title: "Wait" }]);
    expect((await says("logs")).stdout).toMatch(/101│ Iteration 1 .*\n(?:.*\n)*.*201│ +Looking\./);
    const { stdout } = await says("status");
    expect(stdout).toMatch(/ Lanes +of the fleet: ralphctl fleet status/);
    expect(stdout).toMatch(/ Lane 101 +t-.*\n.*\n +Lane 201 +t-2 Add logout/);
    expect(stdout).not.toContain("No task");
    expect(stdout).not.toContain("ralphctl run");
    await happens(fleet, { ...runFinished, ending: "limit" });
    await fleet.endRun(run, {});
    expect((await says("status")).stdout).toContain("  ralphctl run --fleet");
    expect((await says("watch", "--plain")).stdout).toContain("  ralphctl run --fleet\n");
  });

  test("F-04 a task that a machine works on is not said to be left by a crash, on the same host neither", async () => {
    const { fleet, says } = await twoMachines();
    const [id = ""] = await fleet.store.add([{ scope: "workspace", title: "Add login" }]);
    await happens(fleet, { ...runStarted, fleet: true }, { ...started, task: { id, title: "Add login" } });
    const claim = (await fleet.store.claim({ owner: fleet.owner, leaseMs: 600_000, run }))!;
    const { stdout } = await says("status");
    expect(stdout).toContain(`Lane 101`);
    expect(stdout).not.toMatch(/crashed|Claimed|run --fleet/);
    await fleet.endRun(run, {});
    expect((await says("status")).stdout).toMatch(new RegExp(`Claimed\n +${id} by run ${run}, until `));
    await fleet.store.release(claim.lease, "");
  });

  test("F-06 stop, pause and resume reach it from any clone, and say if there is none", async () => {
    const { one, other, env, fleet, says } = await twoMachines();
    expect(await says("pause")).toMatchObject({ code: 0, stderr: expect.stringContaining(`Run ${run} will pause`) });
    expect(await fleet.requests(run)).toMatchObject({ isPaused: true });
    expect(await typed(["resume"], { cwd: one, env })).toMatchObject({ code: 0 });
    expect(await fleet.requests(run)).toMatchObject({ isPaused: false, resumes: 1 });
    expect((await says("stop", "--after")).code).toBe(0);
    const stopping = says("stop");
    await vi.waitUntil(async () => (await fleet.requests(run)).stop, LONG);
    await fleet.endRun(run, {});
    expect(await stopping).toMatchObject({ code: 0, stderr: expect.stringContaining("on all machines") });
    expect(await says("pause")).toMatchObject({ stderr: expect.stringContaining("No active run") });
    expect(existsSync(join(other, ".git", "ralph", "requests"))).toBe(false);
  });

  test("F-06 of several runs the one on the branch of the clone is meant, and elsewhere they are named", async () => {
    const { other, fleet, says } = await twoMachines();
    const owner = { host: "b", pid: 1, startTime: "1" };
    const rest = { scope: "workspace", request: {}, limits: {}, owner, leaseMs: 600_000 };
    await fleet.beginRun({ id: "r-2", target: "refs/heads/next", ...rest });
    git(other, "switch", "--quiet", "--create", "next");
    expect((await says("pause")).stderr).toContain("Run r-2 will pause");
    git(other, "switch", "--quiet", "--create", "third");
    expect(await says("pause")).toMatchObject({
      code: 64,
      stderr: expect.stringContaining(`The fleet has several runs: ${run} on main, r-2 on next`),
    });
  });

  test("F-06 what one clone tells agents, and what a person answers, is there for all", async () => {
    const { one, env, fleet, says } = await twoMachines();
    expect(await typed(["context", "add", "Use tabs"], { cwd: one, env })).toMatchObject({ code: 0 });
    expect((await says("context", "show")).stdout).toBe("Use tabs\n");
    expect((await says("context", "add", "And spaces")).code).toBe(0);
    expect((await typed(["context", "show"], { cwd: one, env })).stdout).toBe("Use tabs\n\nAnd spaces\n");
    expect((await typed(["status"], { cwd: one, env })).stdout).toContain("Use tabs (and 2 more lines");
    expect((await says("context", "clear")).code).toBe(0);
    expect((await typed(["context", "show"], { cwd: one, env })).stdout).toBe("");
    const [id] = await fleet.store.add([{ scope: "workspace", title: "Ask", status: "parked", question: "Which?" }]);
    expect((await says("task", "answer", id!, "The first")).code).toBe(0);
    expect(await fleet.store.get(id!)).toMatchObject({ status: "pending" });
  });

  test("F-04 a transcript is fetched from its machine when somebody wants to see it, without secrets, and up to a size", async () => {
    const { one, other, fleet, says } = await twoMachines();
    await happens(fleet, runStarted, started);
    const owner = { host: "a", pid: 1, startTime: "1" };
    const about = { owner, name: "a", lanes: 1, harnesses: [], version: "1", leaseMs: 600_000 };
    const { number: member } = await fleet.join(about);
    const file = join(one, ".ralph", "runs", run, "1", "transcript.ndjson");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "line of s3cret\n");
    const redact = (text: string): string => text.replaceAll("s3cret", "[hidden]");
    const asks = createBell();
    atEnd(await fleet.listen((what) => what === "asks" && asks.ring()));
    atEnd(serveMachine({ fleet, asks, member, root: one, home: join(one, ".ralph"), redact }));
    expect((await says("inspect", `${run}/1`)).code).toBe(0);
    const fetched = join(other, ".ralph", "runs", run, "1", "transcript.ndjson");
    expect(readFileSync(fetched, "utf8")).toBe("line of [hidden]\n");
    const ask = async (name: string, maxBytes: number) => {
      const id = await fleet.ask({ member, run, file: name, maxBytes });
      await vi.waitUntil(async () => (await fleet.answerTo(id)) !== undefined, LONG);
      return await fleet.answerTo(id);
    };
    writeFileSync(file, "first\nsecond\n");
    expect(await ask("1/transcript.ndjson", 8)).toEqual({ text: "second\n", isCut: true });
    expect(await ask("1/none", 8)).toEqual({ problem: "The file is not there any more" });
    expect(await ask("../../config.yaml", 100)).toEqual({ problem: expect.stringContaining("points outside") });
  });
});
