import { join } from "node:path";
import { writeFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { DONE, sh } from "../hostile-run.ts";
import { startLive } from "../live-run.ts";
import { loopWorkspace, type LoopWorkspace } from "../loop-workspace.ts";
import { accessFaults, hasBrowser, layoutFaults, openTab } from "../page-browser.ts";
import { type ServedPage, servedPage } from "../page-client.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const LONG = "Rewrite the reconciliation of incoming payments so that partial refunds end in one ledger entry each";
const UNBROKEN = "Averyveryverylongwordwithoutanyspacesthatcouldbreakthelayoutofanarrowphonescreen";
const RTL = "إضافة تسجيل الدخول إلى صفحة المتجر";
const LONG_WAIT = { timeout: 50_000, interval: 20 };

const state = (page: Page) => page.locator(".connection");

/** As if another tab were in front of this one. */
const HIDDEN = (value: "hidden" | "visible"): string =>
  `Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "${value}" });
   document.dispatchEvent(new Event("visibilitychange"));`;

describe.runIf(hasBrowser)("the page in a browser (skipped where Chromium is not installed)", () => {
  let place: LoopWorkspace;
  let served: ServedPage;
  let run: string;

  beforeAll(async () => {
    place = await loopWorkspace({
      tasks: ["Do it", LONG, UNBROKEN, RTL, ...Array.from({ length: 20 }, (_, at) => `Later ${at}`)],
      config: "gates: [{ id: test, run: test -f done.txt }]\nlimits: { attempts: 1, iterations: 4 }\n",
      script: JSON.stringify([
        { when: { title: "Do it" }, steps: [{ write: { path: "done.txt", text: "x" } }, { cost: 0.5 }, DONE] },
        { when: { title: "Rewrite*" }, steps: [{ delete: "done.txt" }, DONE] },
        { when: { title: "*" }, steps: [sh("ralphctl task park $RALPHCTL_TASK 'Which colour?'"), { say: "I ask." }] },
      ]),
    });
    run = (await place.run()).name;
    served = await servedPage(place.folder);
  });

  const SIZES = [360, 768, 1280, 1920].flatMap((width) =>
    (["light", "dark"] as const).map((scheme) => [width, scheme]),
  );

  test.each(SIZES as [number, "light" | "dark"][])(
    "U-08 at %d px, %s: nothing sticks out or lies upon anything, and axe finds nothing",
    async (width, colorScheme) => {
      const { page, failures } = await openTab(served.url, { viewport: { width, height: 800 }, colorScheme });
      for (const [hash, heading] of [
        ["now", /./],
        ["needs", "Needs you"],
        ["graph", /./],
        [`task/${place.ids[1]}`, /./],
        ["runs", "Runs"],
        [`runs/${run}`, run],
      ] as const) {
        await page.evaluate(`location.hash = "#/${hash}"`);
        await page.getByRole("heading", { level: 1, name: heading }).waitFor();
        await page.waitForLoadState("networkidle", { timeout: 500 }).catch(() => undefined);
        expect([hash, await layoutFaults(page), await accessFaults(page)]).toEqual([hash, [], []]);
      }
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keys" }).waitFor();
      expect([await layoutFaults(page), await accessFaults(page), failures]).toEqual([[], [], []]);
      await page.context().close();
    },
  );

  test("U-08 every key of the list does what it says", async () => {
    const { page } = await openTab(served.url, { viewport: { width: 1280, height: 800 } });
    const heading = (name: string | RegExp) => page.getByRole("heading", { level: 1, name }).waitFor();
    await page.getByRole("link", { name: "Needs you" }).waitFor();
    for (const [keys, name] of [
      ["gy", "Needs you"],
      ["gr", "Runs"],
      ["gn", /./],
    ] as const) {
      for (const key of keys) await page.keyboard.press(key);
      await heading(name);
    }
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    await page.getByRole("link", { name: run }).first().waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await heading(run);
    await page.keyboard.press("Escape");
    await heading("Runs");
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count(), LONG_WAIT).toBe(0);
    await page.keyboard.press("g");
    await page.keyboard.press("y");
    const field = page.getByRole("textbox", { name: "Your answer" }).first();
    await field.fill("half an ans");
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("n");
    await page.keyboard.press("g");
    await page.keyboard.press("y");
    expect(await field.inputValue()).toBe("half an ans");
  });

  test("U-07 without a connection the page says so, tries again, and lacks nothing afterwards", async () => {
    const { page } = await openTab(served.url);
    await state(page).filter({ hasText: "live" }).waitFor();
    await page.route("**/api/v1/events*", async (route) => await route.abort());
    await page.evaluate(HIDDEN("hidden"));
    await page.evaluate(`globalThis.dispatchEvent(new Event("online"))`);
    await page.evaluate(HIDDEN("visible"));
    await page.getByRole("alert").filter({ hasText: "The server does not answer" }).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await place.task("add", "Added meanwhile");
    await page.getByRole("button", { name: /^Try now/ }).click();
    await page.unroute("**/api/v1/events*");
    await state(page).filter({ hasText: "live" }).waitFor();
    await page.evaluate(`location.hash = "#/graph"`);
    await page.locator("svg text", { hasText: "Added meanwhile" }).waitFor();
  });

  test("U-07 a tab that nobody sees closes its stream, but for one, which tells of news", async () => {
    const { page } = await openTab(served.url);
    await state(page).filter({ hasText: "live" }).waitFor();
    const second = await page.context().newPage();
    await second.goto(served.url);
    await state(second).filter({ hasText: "live" }).waitFor();
    await second.evaluate(HIDDEN("hidden"));
    await state(second).filter({ hasText: "resting" }).waitFor();
    await page.evaluate(HIDDEN("hidden"));
    expect(await state(page).textContent()).toContain("live");
    await page.close();
    await state(second).filter({ hasText: "live" }).waitFor();
  });

  test("U-11 notifications are asked for by a button, and come while the page is not seen", async () => {
    const { page } = await openTab("about:blank");
    await page.addInitScript(`globalThis.told = []; globalThis.Notification = class {
      static permission = "default";
      static requestPermission = async () => (Notification.permission = "granted");
      constructor(title, { body }) { told.push(title + ": " + body); }
      addEventListener() {}
    };`);
    await page.goto(`${served.url}/needs`);
    await page.getByRole("button", { name: "Notify me" }).click();
    await page.getByText("This browser tells you").waitFor();
    await page.evaluate(HIDDEN("hidden"));
    const [id] = [(await place.task("add", "Choose")).stdout.trim()];
    await place.task("park", id, "Red or green?");
    await expect.poll(async () => await page.evaluate("told"), LONG_WAIT).toEqual(["Choose: Red or green?"]);
  });

  test("U-01 U-07 the page shows the next run as it begins, and how it goes, after its own was over", async () => {
    const marks = temporaryFolder();
    const other = await loopWorkspace({
      config: "gates: [{ id: test, run: test -f done.txt }]\n",
      script: JSON.stringify([[sh(`until [ -e ${join(marks, "go")} ]; do sleep 0.02; done; echo x > done.txt`), DONE]]),
    });
    const page = await openTab((await servedPage(other.folder)).url);
    await page.page.getByRole("heading", { name: "No run yet" }).waitFor();
    const live = startLive(other.folder);
    await page.page.getByRole("heading", { name: "Working" }).waitFor();
    writeFileSync(join(marks, "go"), "");
    await page.page.getByRole("heading", { name: /^Complete and verified/ }).waitFor();
    expect((await live.ended).code).toBe(0);
  });
});
