import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { DONE, eventsOf, scriptFor, sh, type Step } from "../hostile-run.ts";
import { startLive } from "../live-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { type } from "../recording-io.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const work: Step = sh("echo x > $RALPHCTL_TASK.txt");

test("L-43 two lanes: status and its estimate, events, logs, inspect and report tell them apart", async () => {
  const go = join(temporaryFolder(), "go");
  const wait = sh(`until [ -f ${go} ]; do sleep 0.05; done`);
  const place = await loopWorkspace({
    tasks: ["Fast one", "Fast two", "Fast three", "Held one"],
    config: "gates: [{ id: test, run: test ! -e broken }]\n",
    script: scriptFor({
      "Fast*": [work, { cost: 0.5 }, DONE],
      "Held one": [wait, work, { cost: 0.5 }, DONE],
      "Held two": [wait, sh("echo x > own.txt"), { cost: 0.5 }, DONE],
      Last: [work, DONE],
    }),
  });
  await place.task("add", "Held two", "--priority", "3", "--gate", "own=test -e own.txt");
  await place.task("add", "Last", "--priority", "3", "--needs", place.ids[3]!);
  const looked = async (): Promise<string> => (await type(["status"], { cwd: place.folder })).stdout;

  const live = startLive(place.folder, "--lanes", "2");
  await vi.waitUntil(async () => /(?:Lane \d +t-\w+ Held[^]*){2}Estimate/.test(await looked()), {
    timeout: 50_000,
    interval: 100,
  });
  const status = (await looked())
    .split("\n\n")[0]!
    .replaceAll(/t-\w{8}/g, "TASK")
    .replaceAll(/\b\d+m?\d*s\b|\d\d:\d\d|\$\d+\.\d\d/g, "N")
    .replaceAll(/N(?: to N)+|at most N/g, "N");
  expect(
    status
      .split("\n")
      .slice(2)
      .filter((line) => !line.includes("Last event")),
  ).toEqual([
    expect.stringMatching(/^ {2}Lanes +2, in \/\S+\/lanes\/\S+$/),
    expect.stringMatching(/^ {2}Lane 1 +TASK Held (?:one|two)$/),
    expect.stringMatching(/^ +scripted, iteration \d of 38, working for N$/),
    expect.stringMatching(/^ {2}Lane 2 +TASK Held (?:one|two)$/),
    expect.stringMatching(/^ +scripted, iteration \d of 38, working for N$/),
    "  Cost        N",
    "  Estimate    done in N (N), for N in all",
  ]);
  writeFileSync(go, "");
  const run = await live.ended;
  expect([run.code, run.outcomes]).toEqual([0, Array.from({ length: 6 }, () => "verified")]);

  expect(eventsOf(run, "run.started").map(({ lanes }) => lanes)).toEqual([2]);
  const laneOf = new Map(eventsOf(run, "iteration.started").map(({ iteration, lane }) => [iteration, lane]));
  expect(new Set(laneOf.values())).toEqual(new Set([1, 2]));
  const chains = eventsOf(run, "iteration.started").map(({ chain }) => chain);
  expect([chains.slice(0, 5), chains.at(-1)]).toEqual([[2, 2, 2, 2, 2], 1]);
  const checks = eventsOf(run, "check.started").map(({ check, lane }) => [check, lane]);
  const own = eventsOf(run, "iteration.started").find(({ task }) => task?.title === "Held two");
  expect(checks).toEqual([
    ["baseline", undefined],
    ["own", own!.lane],
    ["final", undefined],
  ]);

  const logs = (await place.ralphctl("logs")).stdout.split("\n\n")[0]!.split("\n").slice(1);
  expect(logs.filter((line) => !/^\d\d:\d\d:\d\d {2}[12 ]│(?: |$)/.test(line))).toEqual([]);
  expect(logs.filter((line) => line.endsWith("│"))).toEqual([]);
  const events = (await place.ralphctl("logs", "--json", "--lane", "2")).stdout.split("\n").filter(Boolean);
  const lanes = events.map((line) => JSON.parse(line) as RunEvent & { iteration?: number; lane?: number });
  expect(new Set(lanes.map(({ iteration, lane }) => laneOf.get(iteration!) ?? lane))).toEqual(new Set([2]));
  expect(lanes.filter((event) => event.type === "iteration.finished")).toHaveLength(
    [...laneOf.values()].filter((lane) => lane === 2).length,
  );
  expect((await place.ralphctl("inspect")).stdout.match(/^ {2}\d {2}lane [12] {2}/gm)).toHaveLength(6);
  const report = (await place.ralphctl("report")).stdout;
  expect(report.match(/^(?:lane \d|room) {2}/gm)?.map((name) => name.trim())).toEqual(["lane 1", "lane 2", "room"]);
  expect(report.match(/^\| \d \| [12] \|/gm)).toHaveLength(6);
});

test("L-40 L-43 a stop names the task in the room, which is the only one that is finished", async () => {
  const [inside, go] = ["inside", "go"].map((name) => join(temporaryFolder(), name));
  const until = (file: string): string => `until [ -f ${file} ]; do sleep 0.05; done`;
  const place = await loopWorkspace({
    tasks: ["One", "Two"],
    config: `gates: [{ id: test, run: '[ -z "$RALPHCTL_TASK" ] || { touch ${inside}; ${until(go!)}; }' }]\n`,
    script: scriptFor({ One: [work, DONE], Two: [sh(until(inside!)), work, DONE] }),
  });
  const live = startLive(place.folder, "--lanes", "2");
  for (const iteration of [1, 2]) await live.says("claim.made", { iteration });
  live.signal("SIGINT");
  await vi.waitUntil(() => live.told().includes("Stopping"), { timeout: 50_000, interval: 20 });
  writeFileSync(go!, "");
  const run = await live.ended;
  expect([run.stderr.match(/Stopping: .*/g), run.outcomes.toSorted(), await place.states()]).toEqual([
    [`Stopping: waiting for the proof of ${place.ids[0]} to end; the work lands if it holds`],
    ["stopped", "verified"],
    { One: "done", Two: "pending" },
  ]);
});
