import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DONE, sh, type Step } from "../hostile-run.ts";
import { startLive } from "../live-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { accessFaults, hasBrowser, layoutFaults, openTab } from "../page-browser.ts";
import { servedPage } from "../page-client.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const GATE = "gates: [{ id: test, run: test ! -e broken }]\n";
const EVIL = `<img src=x onerror="document.title='taken'"> & 'more'`;
const LONG = { timeout: 50_000, interval: 20 };
const PHONE = { viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true };

/** Sessions by the titles of their tasks, and by what the prompt says. */
const sessions = (...all: readonly (readonly [title: string, steps: readonly Step[], prompt?: string])[]): string =>
  JSON.stringify(all.map(([title, steps, prompt]) => ({ when: { title, ...(prompt && { prompt }) }, steps })));

const waitFor = (file: string): Step => sh(`until [ -e ${file} ]; do sleep 0.02; done`);
const own = sh("echo x > $RALPHCTL_TASK.txt");

describe.runIf(hasBrowser)("the page in a browser (skipped where Chromium is not installed)", () => {
  test("U-01 U-03 U-08 a run with lanes is followed, and its question answered, with keys only; so it goes on", async () => {
    const marks = temporaryFolder();
    const place = await loopWorkspace({
      tasks: ["Ask first", EVIL],
      config: GATE,
      script: sessions(
        ["Ask*", [own, DONE], "as blue as the sea"],
        ["Ask*", [sh("ralphctl task park $RALPHCTL_TASK 'Which colour?'"), { say: "I ask." }]],
        ["*", [{ cost: 0.25 }, waitFor(join(marks, "go")), own, DONE]],
      ),
    });
    const served = await servedPage(place.folder);
    const { page, failures } = await openTab(served.url, { viewport: { width: 1280, height: 900 } });
    await page.getByRole("heading", { name: "No run yet" }).waitFor();
    // The token is neither in the address bar nor in the page.
    expect([page.url(), await page.content()]).toEqual([
      `http://127.0.0.1:${served.port}/#/`,
      expect.not.stringContaining(served.token),
    ]);

    const run = startLive(place.folder, "--lanes", "2");
    const lane = page.getByRole("listitem").filter({ hasText: "Lane" });
    const busy = lane.filter({ hasText: "run until" }).filter({ hasText: "$0.25" });
    await busy.waitFor();
    expect(await busy.getByRole("link").textContent()).toContain(EVIL);

    await expect.poll(async () => await page.title(), LONG).toMatch(/^\(1\) /);
    await page.keyboard.press("g");
    await page.keyboard.press("y");
    const question = page.getByRole("article", { name: /Ask first/ });
    await question.getByText("Which colour?").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Tab");
    await page.keyboard.type("as blue as the sea");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Nothing needs you.").waitFor();
    expect(await page.title()).not.toContain("(1)");

    writeFileSync(join(marks, "go"), "");
    await page.keyboard.press("g");
    await page.keyboard.press("n");
    await page.getByRole("heading", { level: 1, name: /^Complete and verified: 2 tasks/ }).waitFor();
    expect([(await run.ended).code, await place.states(), failures]).toEqual([
      0,
      { "Ask first": "done", [EVIL]: "done" },
      [],
    ]);
  });

  test("U-04 U-08 a run is paused, continued and stopped from a phone in the dark; nothing lies upon anything", async () => {
    const place = await loopWorkspace({
      tasks: ["Never ends"],
      config: GATE,
      script: sessions(["*", [{ hang: true }]]),
    });
    const served = await servedPage(place.folder);
    const run = startLive(place.folder);
    const { page, failures } = await openTab(served.url, { ...PHONE, colorScheme: "dark" });
    await page
      .getByRole("link", { name: /Never ends/ })
      .first()
      .waitFor();
    expect([await layoutFaults(page), await accessFaults(page)]).toEqual([[], []]);

    await page.getByRole("button", { name: "Pause" }).tap();
    await page.getByText("Pauses after this iteration.").waitFor();
    await page.getByRole("button", { name: "Continue" }).tap();
    await page.getByRole("button", { name: "Pause" }).waitFor();

    await page.evaluate("location.hash = '#/needs'");
    await page.getByText("Nothing needs you.").waitFor();
    expect(await page.evaluate(pressed("S", "header.run button", "#/"))).toBe("button");
    const dialog = page.getByRole("dialog", { name: "Stop the run now?" });
    await dialog.getByRole("button", { name: "Cancel" }).tap();
    expect(await dialog.count()).toBe(0);
    await page.getByRole("button", { name: "Stop now…" }).tap();
    expect(await accessFaults(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Stop now" }).tap();
    const { finished } = await run.ended;
    expect(finished?.ending).toBe("interrupted");
    await page.getByText("Go on in a terminal").waitFor();
    expect(failures).toEqual([]);
  });

  test("U-08 a key counts from the moment in which its place is seen, however busy the browser is", async () => {
    const place = await loopWorkspace({
      tasks: ["Ask first", "Do it"],
      config: GATE,
      script: sessions(["*", [own, DONE]]),
    });
    await place.task("park", place.ids[0]!, "Which colour?");
    await place.run();
    const served = await servedPage(place.folder);
    const { page } = await openTab(served.url);
    await expect.poll(async () => await page.title(), LONG).toMatch(/^\(1\) /);
    // A place takes the focus before it is seen, not from what a quick person has chosen.
    expect(await page.evaluate(pressed("j", ".need [data-row]", "#/needs"))).toBe("a");
    expect(await page.evaluate(pressed("c", "header.run button", "#/"))).toBe("textarea");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.evaluate(OPEN_AT_ONCE)).toBe(true);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route("**/api/v1/graph", async (route) => {
      await held;
      await route.continue();
    });
    await page.keyboard.press("/");
    await page.getByText("Reading the tasks…").waitFor();
    await page.evaluate(AFTER_EFFECTS);
    release();
    await page.getByRole("searchbox").waitFor();
    await page.keyboard.type("colour");
    expect(await page.getByRole("searchbox").inputValue()).toBe("colour");
  });
});

/** Timers run in their order: whatever waits for the next picture has happened before this. */
const AFTER_EFFECTS = "new Promise((resolve) => setTimeout(resolve, 200))";

const PRESS = `const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const once = (wanted, act) => {
    const seen = new MutationObserver(() => {
      const part = document.querySelector(wanted);
      if (part === null) return;
      seen.disconnect();
      act(part);
    });
    seen.observe(document.body, { childList: true, subtree: true });
  };`;

/** Presses a key as soon as a part of the place is in the document, and says what has the focus when all is drawn. */
const pressed = (key: string, part: string, hash: string): string => `new Promise((resolve) => {
  ${PRESS}
  once(${JSON.stringify(part)}, () => {
    press("${key}");
    ${AFTER_EFFECTS}.then(() => resolve(document.activeElement.localName));
  });
  location.hash = "${hash}";
})`;

/** Whether a question is in front of the page as soon as it is in the document: else keys would go past it. */
const OPEN_AT_ONCE = `new Promise((resolve) => {
  ${PRESS}
  once("dialog", (dialog) => resolve(dialog.open));
  press("c");
})`;
