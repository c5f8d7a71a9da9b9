import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { loopWorkspace } from "../loop-workspace.ts";
import { accessFaults, hasBrowser, openTab } from "../page-browser.ts";
import { servedPage } from "../page-client.ts";

test("U-09 script and style of the page are at most 120 kB, compressed", () => {
  const size = (name: string): number => gzipSync(readFileSync(join("dist", "page", name))).length;
  expect(size("main.js") + size("page.css")).toBeLessThan(120 * 1024);
});

const LONG = { timeout: 50_000, interval: 20 };

describe.runIf(hasBrowser)("the page in a browser (skipped where Chromium is not installed)", () => {
  test("U-03 a page with an old token, or with none, says what to type", async () => {
    const place = await loopWorkspace({ script: "[]" });
    const served = await servedPage(place.folder);
    for (const hash of ["", "#token=old"]) {
      const { page } = await openTab(`http://127.0.0.1:${served.port}/${hash}`);
      await page.getByText("ralphctl ui --url").waitFor();
      expect([await accessFaults(page), page.url()]).toEqual([[], expect.not.stringContaining("old")]);
    }
  });

  test("U-08 Esc leads from a task to where one was, and never out of the page; a task that is not there has a way on", async () => {
    const { folder, ids } = await loopWorkspace({ script: "[]", tasks: ["First", "Second"] });
    const served = await servedPage(folder);
    const { page } = await openTab(`${served.url}/task/${ids[0]}`);
    const at = (hash: string) => expect.poll(() => new URL(page.url()).hash, LONG).toBe(hash);
    const title = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
    await title("First");
    await page.keyboard.press("Escape");
    await title("Graph");
    await page.evaluate(`location.hash = "#/task/${ids[1]}"`);
    await title("Second");
    await page.evaluate(`location.hash = "#/needs"`);
    await page.goBack();
    await title("Second");
    await page.keyboard.press("Escape");
    await at("#/graph");
    await page.evaluate(`location.hash = "#/task/t-none"`);
    await page.getByText('There is no task "t-none"').waitFor();
    // To ask again would not help.
    expect([await page.getByRole("button", { name: "Try again" }).count(), await accessFaults(page)]).toEqual([0, []]);
    await page.keyboard.press("Escape");
    await at("#/graph");
  });

  test("U-08 an answer that is not sent yet is there again after the page was loaded anew, and gone once it is sent", async () => {
    const { folder, ids, task } = await loopWorkspace({ script: "[]" });
    await task("park", ids[0]!, "Which colour?");
    const served = await servedPage(folder);
    const { page } = await openTab(`${served.url}/needs`);
    const answer = page.getByLabel("Your answer");
    await answer.fill("Red, I th");
    await page.reload();
    await answer.waitFor();
    expect(await answer.inputValue()).toBe("Red, I th");
    await answer.fill("Red");
    await answer.press("Control+Enter");
    await page.getByText("Nothing needs you.").waitFor();
    await task("park", ids[0]!, "Which colour?");
    await answer.waitFor();
    await page.reload();
    await answer.waitFor();
    expect(await answer.inputValue()).toBe("");
  });

  test("U-07 a page of a run that is not kept any more says so, and follows the living one", async () => {
    const { folder } = await loopWorkspace({ script: "[]" });
    const served = await servedPage(folder);
    expect((await served.get("/events?run=r-20260101-000000-aaaa")).status).toBe(404);
    const { page } = await openTab(`${served.url}/now/r-20260101-000000-aaaa`);
    await page.getByRole("alert").filter({ hasText: "Unknown run" }).waitFor();
    await page.getByRole("heading", { name: "No run yet" }).waitFor();
    await page.locator(".connection").filter({ hasText: "live" }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/now");
  });

  test("U-07 Now says, too, that what it shows may be old, or why it shows nothing", async () => {
    const served = await servedPage((await loopWorkspace({ script: "[]" })).folder);
    const { page } = await openTab("about:blank");
    let isBroken = true;
    await page.route("**/api/v1/status", async (route) => {
      if (isBroken) await route.fulfill({ status: 500, json: { error: "There is no workspace", hint: "Look" } });
      else await route.continue();
    });
    await page.goto(served.url);
    await page.getByRole("main").getByText("There is no workspace").waitFor();
    isBroken = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("1 open task.").waitFor();
    isBroken = true;
    await served.post("context", { text: "News" });
    await served.post("drop", { task: (await served.get("/graph")).json.tasks[0].id });
    await page.getByRole("alert").filter({ hasText: "What you see may be old: There is no workspace" }).waitFor();
    expect(await accessFaults(page)).toEqual([]);
  });

  test("U-07 what could not be read once is read again, and if it fails longer, the page says that it shows the old", async () => {
    const { folder, ids, task } = await loopWorkspace({ script: "[]" });
    await task("park", ids[0]!, "Which colour?");
    const served = await servedPage(folder);
    const { page } = await openTab(served.url);
    await page
      .getByRole("link", { name: /^Needs you/ })
      .first()
      .click();
    await page.getByText("Which colour?").waitFor();
    let failures = 1;
    await page.route("**/api/v1/needs", async (route) => {
      failures -= 1;
      if (failures < 0) await route.continue();
      else await route.fulfill({ status: 503, json: { error: "The tasks are busy", hint: "Wait a moment" } });
    });
    await task("drop", ids[0]!, "--reason", "x");
    await page.getByText("Nothing needs you.").waitFor();

    failures = Infinity;
    await task("reset", ids[0]!);
    await page.getByRole("alert").filter({ hasText: "What you see may be old: The tasks are busy" }).waitFor();
    expect([await page.getByText("Nothing needs you.").count(), await accessFaults(page)]).toEqual([1, []]);
    failures = 0;
    await expect
      .poll(async () => await page.getByRole("alert").filter({ hasText: "may be old" }).count(), LONG)
      .toBe(0);
  });
});
