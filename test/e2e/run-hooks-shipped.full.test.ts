import { chmodSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DONE, eventsOf, notes, notices, runWith, script, seen, WORK } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { listen, receiver } from "../receiver.ts";
import { temporaryFolder, write } from "../temporary-folder.ts";

const GATE = "gates: [{ id: test, run: test -f done.txt }]\n";
const VERIFIED = { code: 0, outcomes: ["verified"], states: { "Do it": "done" }, commits: ["Do it"] };

describe.concurrent("webhook", () => {
  test("S003-03 W-04 sends what Slack takes, when configured: without secrets, and calling nobody", async () => {
    const { url, posted } = await receiver(200, "ok");
    const place = await loopWorkspace({
      tasks: ["Say <!channel> & s3cret-t0ken"],
      script: script([WORK, DONE]),
      config: `${GATE}hooks: [{ use: webhook, url: $CHAT_ADDRESS, on: [task-done, run-end] }]\n`,
    });
    const run = await runWith(place, { env: { CHAT_ADDRESS: url, MY_TOKEN: "s3cret-t0ken" } });
    expect([run.code, run.outcomes]).toEqual([0, ["verified"]]);
    const name = place.folder.split("/").at(-1);
    const message = (text: string) => ({
      method: "POST",
      type: "application/json",
      body: { text: `${name}: ${text}` },
    });
    expect(posted).toEqual([
      message(`${place.ids[0]} "Say &lt;!channel&gt; &amp; [MY_TOKEN]" is done and proven`),
      message("Complete and verified: All tasks are done"),
    ]);
    expect(
      eventsOf(run, "hook.finished").map(({ hook, point, passed, output }) => [hook, point, passed, output]),
    ).toEqual([
      ["webhook", "task-done", true, "ok"],
      ["webhook", "run-end", true, "ok"],
    ]);
    // The address is a secret: only its host is said anywhere.
    expect(run.stdout).not.toContain("/services/T0/x");
    expect(eventsOf(run, "hook.started")[0]?.command).toBe(new URL(url).host);
  });

  test.each([
    ["refuses", 403, "invalid_token", "the server answered 403"],
    ["sends it elsewhere", 302, "", "the server answered 302"],
  ])("S003-03 a server that %s is a failed hook, and nothing else", async (_, status, answer, reason) => {
    const { url, posted } = await receiver(status, answer);
    const place = await loopWorkspace({
      script: script([WORK, DONE]),
      config: `${GATE}hooks: [{ use: webhook, url: "${url}" }]\n`,
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect(eventsOf(run, "hook.finished").map((event) => [event.passed, event.reason, event.output])).toEqual([
      [false, reason, answer],
    ]);
    expect(posted).toHaveLength(1);
  });

  test("S003-03 a server that is not there, and one that never answers, are failed hooks", async () => {
    const silent = createServer(() => undefined);
    const port = await listen(silent);
    const gone = createServer();
    const goneFrom = await listen(gone);
    gone.close();
    const place = await loopWorkspace({
      script: script([WORK, DONE]),
      config: `${GATE}hooks:
  - { id: gone, use: webhook, url: "http://127.0.0.1:${goneFrom}/" }
  - { id: silent, use: webhook, url: "http://127.0.0.1:${port}/", timeout: 1 }
`,
    });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect(eventsOf(run, "hook.finished").map((event) => [event.hook, event.passed, event.reason])).toEqual([
      ["gone", false, "no connection: ECONNREFUSED"],
      ["silent", false, "no answer within 1 s"],
    ]);
  });
});

// What macOS does instead is in src/domain/shipped-hook.test.ts.
describe.skipIf(process.platform === "darwin").concurrent("notify", () => {
  /** A folder with one program that writes down how it was called. */
  function program(name: string): { readonly folder: string; readonly calls: () => string } {
    const folder = temporaryFolder();
    write(folder, { [name]: `#!/bin/sh\nfor word; do printf '%s\\n' "$word"; done >>${folder}/calls\n` });
    chmodSync(join(folder, name), 0o755);
    return { folder, calls: () => readFileSync(join(folder, "calls"), "utf8") };
  }

  test("S003-03 W-05 shows what happened by notify-send, its text as an argument and as text", async () => {
    const { folder, calls } = program("notify-send");
    const place = await loopWorkspace({
      tasks: ["$(touch bad) `id` <b>&"],
      script: script([WORK, DONE]),
      config: `${GATE}hooks: [{ use: notify, on: task-done }]\n`,
    });
    const run = await runWith(place, { env: { PATH: `${folder}:${process.env["PATH"]}` } });
    expect(run.code).toBe(0);
    expect(calls()).toBe(
      `--app-name=ralphctl\n--\nralphctl: task-done\n${place.ids[0]} "$(touch bad) \`id\` &lt;b>&amp;" is done and proven\n`,
    );
    expect(place.git("status", "--porcelain")).toBe("");
  });

  test("S003-03 without a desktop it fails, says why, and changes nothing else", async () => {
    const place = await loopWorkspace({ script: script([WORK, DONE]), config: `${GATE}hooks: [{ use: notify }]\n` });
    const run = await place.run();
    expect(await seen(place, run)).toEqual(VERIFIED);
    expect(eventsOf(run, "hook.finished").map(({ point, passed, output }) => [point, passed, output])).toEqual([
      ["run-end", false, "notify-send is not on the PATH\n"],
    ]);
  });
});

test.concurrent("S003-03 learning proposes a patch for AGENTS.md beside the next session, which nobody applies; its lines are context", async () => {
  const learns = (line: string, wait: string) => [
    { run: `for i in $(seq 1000); do test -e "$HOME/.ralph/${wait}" && exit; sleep 0.05; done` },
    { append: { path: "AGENTS.md", text: `${line}\n` } },
    { say: line },
  ];
  const place = await loopWorkspace({
    tasks: ["One", "Two"],
    // The first hook works until the second session works.
    script: JSON.stringify([
      { when: { prompt: "Add it to AGENTS.md", iteration: 1 }, steps: learns("First.", "second.tmp") },
      { when: { prompt: "Add it to AGENTS.md", iteration: 2 }, steps: learns("Second.", "second.tmp") },
      [WORK, DONE],
      [{ run: "echo more >> done.txt; touch $HOME/.ralph/second.tmp" }, DONE],
    ]),
    config: `${GATE}hooks: [{ use: learning, parallel: true }]\n`,
  });
  const run = await place.run();
  expect(await seen(place, run)).toEqual({
    code: 0,
    outcomes: ["verified", "verified"],
    states: { One: "done", Two: "done" },
    commits: ["One", "Two"],
  });
  const specs = "The specs directory .ralph/specs is empty";
  expect([notes(run), notices(run), place.git("status", "--porcelain")]).toEqual([[], [specs], ""]);
  expect(eventsOf(run, "hook.finished").map(({ iteration, output }) => [iteration, output])).toEqual([
    [1, "First."],
    [2, "Second."],
  ]);
  expect((await place.ralphctl("context", "show")).stdout).toBe("First.\n\nSecond.\n");
  place.git("apply", eventsOf(run, "hook.finished")[0]!.patch!);
  expect([place.git("status", "--porcelain"), place.read("AGENTS.md")]).toEqual(["?? AGENTS.md", "First.\n"]);
});
