import { describe, expect, test } from "vitest";
import { DONE, script, sh } from "../hostile-run.ts";
import { startLive } from "../live-run.ts";
import { type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";
import { hasTerminals } from "../terminal.ts";
import { expectSane, watch } from "../watched-terminal.ts";

/** Each session waits for a file with the name of its task, so that a test decides how long it lasts. */
const SCRIPT = script([
  { say: "I begin with **care**." },
  sh("until test -f $HOME/$RALPHCTL_TASK.go; do sleep 0.02; done; echo x > $RALPHCTL_TASK.txt"),
  DONE,
]);
const GREEN = "gates: [{ id: test, run: test ! -e broken }]\n";

const workspace = async (...tasks: readonly string[]): Promise<LoopWorkspace> =>
  await loopWorkspace({ tasks, config: GREEN, script: SCRIPT });

const letGo = (place: LoopWorkspace, ...ids: readonly string[]): void =>
  place.write(Object.fromEntries(ids.map((id) => [`${id}.go`, ""])));

describe.runIf(hasTerminals)("watch", () => {
  test("L-43 shows the lanes of a run in another terminal, sends its keys, and ends with its summary and exit code", async () => {
    const place = await workspace("One", "Two", "Three");
    const run = startLive(place.folder, "--lanes", "2");
    await run.says("agent.tool", { iteration: 1 });
    await run.says("agent.tool", { iteration: 2 });
    const view = watch(place, ["watch"]);
    await view.shows("Next 1");
    const { shown } = await view.screen();
    const rows = shown.split("\n").slice(-6);
    const row = (lane: number): RegExp => new RegExp(`^${lane} (One|Two)  scripted  > run until test -f .*  0s │ `);
    expect(rows.map((line) => line.replaceAll(/\d+s\b/g, "0s").replaceAll(/─+/g, "─"))).toEqual([
      "─ workspace · 2 lanes · 2 of 29 iterations · branch main ─ 0s",
      expect.stringMatching(row(1)),
      expect.stringMatching(row(2)),
      expect.stringMatching(/^Room: free +│$/),
      expect.stringMatching(/^░+ 0 of 3 done +│$/),
      "p pause · s stop after these · q quit the view · 1-2 lane · c add context · v more · ? help",
    ]);
    expect(shown).toMatch(/│ Doing 2 {2}(One, Two|Two, One)\n.*│ Next 1 {3}Three\n/);
    view.child.stdin.write("1");
    await view.shows("I begin with care.");
    view.child.stdin.write("s");
    await view.shows("stops after the iterations under way");
    letGo(place, ...place.ids);
    expect([(await run.ended).code, await view.ended]).toEqual([130, 130]);
    await expectSane(view);
    expect((await view.screen()).shown).toContain("Stopped by you after the iteration");
  });

  test("q leaves the run alone; S stops it now", async () => {
    const place = await workspace("One");
    const run = startLive(place.folder);
    await run.says("agent.tool");
    const first = watch(place, ["watch"]);
    await first.shows("q quit the view");
    first.child.stdin.write("q");
    expect(await first.ended).toBe(0);
    await expectSane(first);
    expect((await first.screen()).shown).toMatch(/Run r-\S+ goes on\. Watch it again: ralphctl watch/);
    const second = watch(place, ["watch"]);
    await second.shows("q quit the view");
    second.child.stdin.write("S");
    expect([(await run.ended).code, await second.ended]).toEqual([130, 130]);
    await expectSane(second);
  });

  test("a run that is killed is said to be, also afterwards", async () => {
    const place = await workspace("One");
    const run = startLive(place.folder);
    await run.says("agent.tool");
    const view = watch(place, ["watch"]);
    await view.shows("q quit the view");
    run.signal("SIGKILL");
    expect(await view.ended).toBe(1);
    expect((await view.screen()).shown).toMatch(/Run r-\S+ crashed or was killed\. Continue: ralphctl run/);
    const again = watch(place, ["watch"]);
    expect(await again.ended).toBe(1);
    expect((await again.screen()).shown).toMatch(/^Run r-\S+ crashed or was killed\. Continue: ralphctl run/);
  });

  test("of a run that has ended, the summary is shown; lines where there is no terminal; and no run is a sentence", async () => {
    const place = await workspace("One");
    const none = await place.ralphctl("watch");
    expect([none.code, none.stderr]).toEqual([3, "No runs yet. Start one: ralphctl run\n"]);
    letGo(place, ...place.ids);
    const run = await place.run();
    const view = watch(place, ["watch"]);
    expect([run.code, await view.ended]).toEqual([0, 0]);
    const { shown } = await view.screen();
    expect(shown).toMatch(/^Run r-\S+ ended at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n\nComplete and verified/);
    expect(shown).not.toContain("Iteration 1");
    const [lines, log] = [await place.ralphctl("watch"), await place.ralphctl("logs", "-f")];
    expect([lines.code, lines.stdout]).toEqual([0, log.stdout]);
    const wrong = await place.ralphctl("watch", "nope");
    expect([wrong.code, wrong.stderr]).toEqual([64, expect.stringMatching(/^error: Unknown run "nope"\nhint: /)]);
  });
});

test("L-10 L-43 two lanes that try the gates of their tasks do so one after the other, and their events do not mix", async () => {
  const place = await loopWorkspace({
    tasks: [],
    config: GREEN,
    script: script([sh("echo x > $RALPHCTL_TASK.txt"), DONE]),
  });
  for (const title of ["One", "Two"]) await place.task("add", title, "--gate", `own=sleep 0.3; ls *.txt`);
  const run = await place.run("--lanes", "2");
  expect([run.code, run.outcomes]).toEqual([0, ["verified", "verified"]]);
  const checks = run.events.flatMap((event) =>
    (event.type === "check.started" || event.type === "check.finished") && event.check === "own" ? [event.type] : [],
  );
  expect(checks).toEqual(["check.started", "check.finished", "check.started", "check.finished"]);
});
