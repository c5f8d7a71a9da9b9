import { describe, expect, test } from "vitest";
import { DONE, eventsOf, notices, runWith, script, WORK } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { servedPage } from "../page-client.ts";
import { receiver } from "../receiver.ts";
import { typed } from "../recording-io.ts";

const GATE = "gates: [{ id: test, run: test -f done.txt }]\n";

describe.concurrent("notify", () => {
  test("E-03 W-04 tells each service at the end of a run, without secrets, and shows no address", async () => {
    const ntfy = await receiver(200, "{}");
    const discord = await receiver(204, "");
    const hook = await receiver(200, "ok");
    const place = await loopWorkspace({
      script: script([WORK, DONE]),
      config: `${GATE}notify: { ntfy: $NTFY_URL, discord: $DISCORD_URL, webhook: "${hook.url}" }\n`,
    });
    const env = { NTFY_URL: ntfy.url, DISCORD_URL: discord.url };
    const run = await runWith(place, { env });
    expect(run.code).toBe(0);
    const name = place.folder.split("/").at(-1)!;
    const text = "Complete and verified: All tasks are done";
    expect([ntfy.paths, ntfy.posted.map(({ body }) => body)]).toEqual([
      ["/services/T0"],
      [{ topic: "x", title: `ralphctl: ${name}`, message: text }],
    ]);
    expect(discord.posted.map(({ body }) => body)).toEqual([
      { content: `${name}: ${text}`, allowed_mentions: { parse: [] } },
    ]);
    expect(hook.posted.map(({ body }) => body)).toMatchObject([
      { workspace: name, type: "run.finished", point: "run-end", text, ending: "complete" },
    ]);
    expect(JSON.stringify(run.events)).not.toContain("/services/T0");
  });

  test("U-11 while the page is served, messages carry the link to it, without its token", async () => {
    const [discord, hook] = [await receiver(204, ""), await receiver(200, "ok")];
    const place = await loopWorkspace({
      script: script([WORK, DONE]),
      config: `${GATE}notify: { discord: "${discord.url}", webhook: "${hook.url}" }\n`,
    });
    const page = await servedPage(place.folder);
    const run = await runWith(place);
    const link = `http://127.0.0.1:${page.port}/#/needs`;
    expect(discord.posted.map(({ body }) => body)).toMatchObject([{ content: expect.stringContaining(` ${link}`) }]);
    expect(hook.posted.map(({ body }) => body)).toMatchObject([{ link }]);
    expect(JSON.stringify([discord.posted, hook.posted, run.events])).not.toContain(page.token);
    await page.end();
  });

  test("E-03 a service that fails or is not known on this machine breaks no run", async () => {
    const bad = await receiver(500, "no");
    const place = await loopWorkspace({
      script: script([WORK, DONE]),
      config: `${GATE}notify: { slack: "${bad.url}", ntfy: $NOT_SET_HERE }\n`,
    });
    const run = await runWith(place);
    expect([run.code, run.outcomes]).toEqual([0, ["verified"]]);
    expect(notices(run)).toContainEqual(
      expect.stringContaining("notify.ntfy names the variable NOT_SET_HERE, which is not set, so nobody is told there"),
    );
    expect(eventsOf(run, "hook.finished").map(({ hook, passed, reason }) => [hook, passed, reason])).toEqual([
      ["notify-slack", false, "the server answered 500"],
    ]);
  });

  test("E-03 notify test says what arrived, and how to begin", async () => {
    const good = await receiver(200, "ok");
    const bad = await receiver(404, "no");
    const place = await loopWorkspace({
      script: "[]",
      config: `${GATE}notify: { slack: $GOOD, discord: "${bad.url}", telegram: $BOT, telegramChat: "7" }\n`,
    });
    const answer = await typed(["notify", "test"], { cwd: place.folder, env: { GOOD: good.url } });
    expect(answer).toEqual({
      code: 1,
      stdout: "terminal  nobody is there\nslack     sent\ndiscord   answered 404\n",
      stderr: expect.stringMatching(/^warning: notify.telegram names the variable BOT, which is not set/),
    });
    expect(good.posted).toHaveLength(1);
    const none = await loopWorkspace({ script: "[]", config: `${GATE}notify: { terminal: off }\n` });
    expect(await none.ralphctl("notify")).toMatchObject({
      code: 0,
      stdout: "terminal  off\n",
      stderr: expect.stringMatching(/^No service is told/),
    });
  });

  test("E-03 a wrong address is an error before the run, and is not shown", async () => {
    const place = await loopWorkspace({ script: "[]", config: `${GATE}notify: { ntfy: "https://ntfy.test" }\n` });
    const answer = await place.ralphctl("run");
    expect([answer.code, answer.stderr]).toEqual([
      78,
      expect.stringMatching(/^error: notify\.ntfy must be a URL such as https:\/\/ntfy\.sh\/TOPIC \(.*line \d+\)\n/),
    ]);
    expect(answer.stderr).not.toContain("ntfy.test");
  });
});
