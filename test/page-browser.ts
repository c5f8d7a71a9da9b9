import { existsSync } from "node:fs";
import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { atEnd } from "./at-end.ts";

const CHROMIUM = "/usr/bin/chromium";

/** Where Chromium is not installed, tests of the page are skipped. */
export const hasBrowser = existsSync(CHROMIUM);

let browser: Promise<Browser> | undefined;

/** A tab, and what its console said. One browser for the whole test file, which ends with it. */
export async function openTab(
  url: string,
  options: BrowserContextOptions = {},
): Promise<{ readonly page: Page; readonly failures: readonly string[] }> {
  browser ??= launched();
  const context = await (await browser).newContext({ reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  // A machine may be very busy.
  page.setDefaultTimeout(50_000);
  const failures: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") failures.push(message.text());
  });
  page.on("pageerror", (error) => failures.push(error.message));
  await page.goto(url);
  return { page, failures };
}

async function launched(): Promise<Browser> {
  const started = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-quic"] });
  atEnd(async () => {
    browser = undefined;
    await started.close();
  });
  return started;
}

/** What axe finds wrong for people who use the page in another way: rule, and where. */
export async function accessFaults(page: Page): Promise<string[]> {
  // Evaluated, not added: the page's rules allow no script but its own.
  await page.evaluate(axe.source);
  return await page.evaluate(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " " + target + " " + failureSummary)))`);
}

/**
 * What sticks out to the side or lies upon something else. Pictures would differ with the fonts of a machine; boxes that
 * must not leave the page or cover each other do not.
 */
export const layoutFaults = async (page: Page): Promise<string[]> => await page.evaluate(FAULTS);

const FAULTS = `(() => {
  const width = document.documentElement.clientWidth;
  const isShown = (part) => part.checkVisibility({ visibilityProperty: true }) && part.closest(".hidden") === null;
  const name = (part) => part.tagName.toLowerCase() + " " + (part.textContent ?? "").trim().slice(0, 40);
  const faults = [];
  if (document.documentElement.scrollWidth > width) faults.push("the page is " + document.documentElement.scrollWidth + " wide");
  const within = (part) => part.closest("pre, table, svg, [data-scrolls]") === null;
  const all = [...document.querySelectorAll("main *")].filter((part) => isShown(part) && within(part));
  for (const part of all) {
    const { left, right, width: own } = part.getBoundingClientRect();
    if (own > 0 && (left < -1 || right > width + 1)) faults.push("sticks out: " + name(part));
  }
  const pressed = all.filter((part) => part.matches("button, a, textarea, summary, progress"));
  const boxes = pressed.flatMap((part) => [...part.getClientRects()].map((box) => ({ part, box })));
  for (const [at, one] of boxes.entries()) for (const other of boxes.slice(at + 1)) {
    if (one.part.contains(other.part) || other.part.contains(one.part)) continue;
    const across = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
    const down = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
    if (across > 2 && down > 2) faults.push(name(one.part) + " covers " + name(other.part));
  }
  return faults;
})()`;
