import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";
import { accessFaults } from "../page-browser.ts";

const CHROMIUM = "/usr/bin/chromium";
const CLAIM = { say: "<task-done>{task}</task-done>" };
const EVIL = `<img src=x onerror="document.title='taken'"> & 'more'`;

let place: LoopWorkspace;
let run: string;

beforeAll(async () => {
  place = await loopWorkspace({
    script: JSON.stringify([
      [{ usage: { input: 100, output: 20 } }, { cost: 0.25 }, CLAIM],
      [{ write: { path: "done.txt", text: "x" } }, { cost: 0.5 }, CLAIM],
      [{ write: { path: "more.txt", text: "x\n" } }, CLAIM],
    ]),
    tasks: ["Write done.txt", EVIL],
  });
  await place.task("dep", "add", place.ids[1]!, "--needs", place.ids[0]!);
  run = (await place.run()).name;
});

test("in short it is Markdown, of which nothing that agents wrote becomes a part", async () => {
  const { code, stdout } = await place.ralphctl("report");
  const text = stdout.replaceAll(/\d+(?:\.\d+)? ?m?s\b/g, "TIME").replace(/- Started: .*/, "- Started: THEN");
  expect([code, text.split("\n").slice(2)]).toEqual([
    0,
    [
      expect.stringMatching(/^Complete and verified: \d tasks? \(.*\)\.$/),
      "",
      "- Scope: the workspace",
      "- Branch: main",
      "- Lane: 1",
      "- Started: THEN",
      "- Took: TIME",
      "- Iterations: 3",
      "- Tasks: 1 proven, 1 unbroken",
      "- Commits: 2",
      "- Cost: at least $0.75 · 120 tokens",
      "- Cost per verified task: at least $0.38",
      "",
      "## Iterations",
      "",
      "| | Task | Result | Time | Cost |",
      "|---|---|---|---|---|",
      "| 1 | Write done.txt | rejected: The agent claimed it was done, but gate test failed: exit code 1 | TIME | $0.25 · 120 tokens |",
      "| 2 | Write done.txt | proven | TIME | $0.50 |",
      `| 3 | \\<img src=x onerror="document.title='taken'"\\> & 'more' | unbroken | TIME | not reported |`,
      "",
    ],
  ]);
});

test("for programs it is everything", async () => {
  const told = JSON.parse((await place.ralphctl("report", run, "--json")).stdout) as Record<
    string,
    readonly { readonly id?: string }[]
  >;
  expect([told["run"], told["iterations"]!.length, told["tasks"]!.map(({ id }) => id)]).toEqual([run, 3, place.ids]);
});

test("a page lies with its run, or where it is wanted; without a run there is none", async () => {
  const own = join(place.folder, ".ralph", "runs", run, "report.html");
  expect(await place.ralphctl("report", "--html")).toEqual({ code: 0, stderr: "", stdout: `${own}\n` });
  expect(readFileSync(own, "utf8")).toContain(`.ralph/runs/${run}/1/prompt.md`);
  expect(readFileSync(own, "utf8")).not.toContain(place.folder);
  expect(readFileSync(own, "utf8")).not.toMatch(/<script|https?:\/\/|src=x onerror="|@import|url\(/);
  expect((await place.ralphctl("report", "--html", "--output", "-")).stdout).toContain("<!doctype html>");
  const other = join(place.folder, ".git", "r.html");
  expect((await place.ralphctl("report", "--html", "-o", other)).stdout).toBe(`${other}\n`);
  expect((await place.ralphctl("report", "nothing-like-it")).code).toBe(64);
  expect((await place.ralphctl("report", "--html", "--json")).code).toBe(64);
  const empty = await loopWorkspace({ script: "[]" });
  expect(await empty.ralphctl("report", "--html")).toEqual({
    code: 3,
    stdout: "",
    stderr: "No runs yet. Start one: ralphctl run\n",
  });
});

/** In a page: the texts of cells that are on more than one line, though they should not be. */
const BROKEN = `Array.from(document.querySelectorAll("section > .wide td:not(.long), section > .wide th")).filter((cell) => {
  const range = document.createRange();
  const tops = new Set();
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    range.selectNodeContents(text);
    for (const { top } of range.getClientRects()) tops.add(Math.round(top));
  }
  return tops.size > 1;
}).map((cell) => cell.textContent)`;

/** What is drawn beyond the sides of the window, though nothing around it scrolls. */
const OUTSIDE = `[...document.body.querySelectorAll("*")].filter((part) => {
  const { left, right, width } = part.getBoundingClientRect();
  if (width === 0 || (left >= 0 && right <= innerWidth + 0.5)) return false;
  for (let around = part.parentElement; around; around = around.parentElement)
    if (["auto", "scroll", "hidden"].includes(getComputedStyle(around).overflowX)) return false;
  return true;
}).map((part) => part.outerHTML.slice(0, 80))`;

/** How long an iteration took stays within its frame, also where it has no room beside the title. */
const OVER_THE_BORDER = `[...document.querySelectorAll("details .right")].filter((part) => {
  const frame = part.closest("details").getBoundingClientRect();
  const own = part.getBoundingClientRect();
  return own.bottom > frame.bottom || own.right > frame.right;
}).map((part) => part.textContent)`;

describe.runIf(existsSync(CHROMIUM))("in a browser", () => {
  test("shows the run without asking anybody for anything, and runs nothing that agents wrote", async () => {
    const { stdout } = await place.ralphctl("report", "--html");
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-quic"] });
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      const [asked, failures]: [string[], string[]] = [[], []];
      page.on("request", (request) => asked.push(request.url()));
      page.on("console", (message) => failures.push(message.text()));
      page.on("pageerror", (error) => failures.push(error.message));
      const url = pathToFileURL(stdout.trim()).href;
      await page.goto(url);
      expect([asked, failures, await page.title()]).toEqual([[url], [], expect.stringContaining(`run ${run}`)]);
      expect(await page.locator("h2").allTextContents()).toEqual([
        "Tasks now",
        "Time",
        "Cost per task",
        "Iterations",
        "Notices",
      ]);
      expect(await page.locator("svg .node").count()).toBe(2);
      expect(await page.locator("svg path").count()).toBe(1);
      // Three iterations, and the check before them; each iteration is a click away.
      expect(await page.locator(".bar").count()).toBe(4);
      expect(await page.locator("a .bar").count()).toBe(3);
      await page.locator('a[href="#iteration-2"] .bar').click();
      expect(page.url()).toBe(`${url}#iteration-2`);
      expect(await page.locator("section:nth-of-type(3) tbody td:nth-child(3)").allTextContents()).toEqual([
        "proven",
        "unbroken",
      ]);
      const first = page.locator("#iteration-1");
      expect(await first.locator("pre, code").first().isVisible()).toBe(false);
      await first.locator("summary").click();
      expect(await first.locator("code").allTextContents()).toEqual(["test -f done.txt"]);
      expect(await page.locator("#iteration-3 > summary").textContent()).toContain(EVIL);
      // Changes are folded in their iteration, file by file.
      const change = page.locator("#iteration-3 .files > details");
      expect(await change.locator("summary").allTextContents()).toEqual(["more.txt +1 -0 added"]);
      await page.locator("#iteration-3 > summary").click();
      expect(await change.locator(".added").isVisible()).toBe(false);
      await change.locator("summary").click();
      expect(await change.locator(".added").allInnerTexts()).toEqual(["1\nx"]);
      // Nothing sticks out to the side, on a phone either, and no id, number or heading is broken.
      for (const width of [1280, ...Array.from({ length: 20 }, (_, at) => 420 - 7 * at)]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await page.evaluate(OVER_THE_BORDER)).toEqual([]);
        expect(await page.evaluate("[innerWidth, document.documentElement.scrollWidth]")).toEqual([width, width]);
        expect(await page.evaluate(BROKEN)).toEqual([]);
        expect(await page.evaluate(OUTSIDE)).toEqual([]);
      }
      // For those who hear it or use keys alone: at the width of a phone, where more must be scrolled to.
      expect(await accessFaults(page)).toEqual([]);
      if (process.env["REPORT_PICTURE"] !== undefined) {
        await page.setViewportSize({ width: 1280, height: 900 });
        await page.screenshot({ path: process.env["REPORT_PICTURE"], fullPage: true });
      }
    } finally {
      await browser.close();
    }
  });
});
