import { existsSync, readFileSync } from "node:fs";
import { build } from "esbuild";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TaskJson } from "../../src/domain/task-json.ts";

const CHROMIUM = "/usr/bin/chromium";
const EVIL = `<img src=x onerror="document.title='taken'"> \u202eevil`;
const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'";
const HTML = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>ralphctl</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/page.css"><script type="module" src="/main.js"></script></head><body><main></main></body></html>`;

let browser: Browser;
let files: Readonly<Record<string, readonly [type: string, text: string]>>;

beforeAll(async () => {
  if (!existsSync(CHROMIUM)) return;
  const { outputFiles } = await build({
    entryPoints: ["test/page-places.tsx"],
    bundle: true,
    write: false,
    format: "esm",
    jsx: "automatic",
    jsxImportSource: "preact",
  });
  const style = ["parts/parts", "page/page", "page/graph-place", "page/task-place"];
  files = {
    "/": ["text/html", HTML],
    "/main.js": ["text/javascript", outputFiles[0]!.text],
    "/page.css": ["text/css", style.map((name) => readFileSync(`src/ui/${name}.css`, "utf8")).join("")],
  };
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-quic"] });
});

afterAll(async () => await browser?.close());

/** A page that says every problem, with the policy of the real one. */
async function open(width = 1280): Promise<Page & { readonly problems: readonly string[] }> {
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  const problems: string[] = [];
  page.on("console", (message) => problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  await page.route("**/*", async (route) => {
    const [contentType, body] = files[new URL(route.request().url()).pathname]!;
    await route.fulfill({ contentType, body, headers: { "content-security-policy": CSP } });
  });
  await page.goto("http://page.test/");
  return Object.assign(page, { problems });
}

const LONG = { timeout: 50_000 };

describe.runIf(existsSync(CHROMIUM))("the graph", () => {
  test("U-06 U-08 a click opens a task, keys walk, a search finds, a filter hides, and stays; titles are text", async () => {
    const page = await open();
    await page.evaluate(`showGraph(5, 0, [${JSON.stringify(EVIL)}])`);
    await page.locator(".graph .node").first().waitFor();
    expect(await page.locator(".graph .node").count()).toBe(5);
    await page.locator(".graph .node").first().click({ force: true });
    await page.locator(".graph-canvas").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator("[data-search]").fill("number 3");
    await page.locator("[role=status]").getByText("1 of 5 tasks, Enter shows the next").waitFor();
    await expect.poll(async () => await page.locator(".graph .dim").count(), LONG).toBe(4);
    const chips = page.locator(".chips button");
    const words = await chips.first().innerText();
    await chips.first().click();
    await expect.poll(async () => await page.locator(".graph .node").count(), LONG).toBe(5 - Number(/\d+/.exec(words)));
    await page.getByRole("button", { name: "As a list" }).click();
    await expect.poll(async () => await page.locator(".graph-list li").count(), LONG).toBe(1);
    await page.evaluate("leave()");
    await page.evaluate(`showGraph(5, 0, [${JSON.stringify(EVIL)}])`);
    await expect.poll(async () => await page.locator("[data-search]").inputValue(), LONG).toBe("number 3");
    await expect.poll(async () => await page.locator(".graph-list li").count(), LONG).toBe(1);
    const opened = (await page.evaluate("asked")) as readonly string[][];
    expect(opened.map(([verb]) => verb)).toEqual(["open", "open"]);
    expect([page.problems, await page.title()]).toEqual([[], "ralphctl"]);
  });

  test.each([0, 1, 5, 300, 2000])(
    "U-08 with %i tasks it zooms and moves, and draws only what is seen",
    async (count) => {
      for (const size of [0, 20]) {
        const page = await open(size === 0 ? 1280 : 360);
        await page.evaluate(`showGraph(${count}, ${size})`);
        if (count === 0) expect(await page.locator(".empty").textContent()).toContain("ralphctl task add");
        else {
          const zoom = async (): Promise<string | null> => await page.locator(".graph > g").getAttribute("transform");
          // However many there are and on whatever screen: it begins with words.
          await page.locator(".graph text").first().waitFor();
          const all = page.getByRole("button", { name: "All", exact: true });
          const first = await zoom();
          await all.click();
          if (count >= 300) await expect.poll(zoom, LONG).not.toBe(first);
          const before = await zoom();
          await page.getByRole("button", { name: "Zoom in" }).click();
          await expect.poll(zoom, LONG).not.toBe(before);
          for (let step = 0; step < 12; step += 1) await page.getByRole("button", { name: "Zoom in" }).click();
          await page.locator(".graph-canvas").hover();
          await page.mouse.wheel(0, 200);
          await page.mouse.down();
          await page.mouse.move(200, 300, { steps: 5 });
          await page.mouse.up();
          expect(await page.locator(".graph *").count()).toBeLessThan(4000);
          await all.click();
          await expect.poll(zoom, LONG).toBe(before);
        }
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
        expect(page.problems).toEqual([]);
        await page.close();
      }
    },
  );

  test("U-08 above 300 tasks parents have their parts inside, until they are unfolded", async () => {
    const page = await open();
    await page.evaluate("showGraph(400, 100)");
    await page.locator(".graph .node").first().waitFor();
    expect(await page.locator(".graph .stack").count()).toBe(4);
    await page.locator(".graph-canvas").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press(" ");
    await page.locator("[data-search]").fill("number 99");
    await page.keyboard.press("Enter");
    await expect.poll(async () => await page.locator("[aria-live]").textContent(), LONG).toContain("number 99,");
  });
});

const at = "2026-11-18T01:00:00.000Z";

const newTask = (more: Partial<TaskJson>): TaskJson => ({
  id: "t-1",
  title: "Add login",
  status: "pending",
  standing: null,
  look: [],
  ready: false,
  blocked: false,
  priority: 2,
  parent: null,
  needs: ["t-0"],
  scope: "workspace",
  source: null,
  isParent: false,
  description: "# Why\n\nSee [here](javascript:alert(1)).",
  acceptance: ["It works", EVIL],
  tags: ["web"],
  gates: [],
  model: null,
  allowNoChange: false,
  keepsWork: false,
  mayChange: [],
  attempts: 1,
  attemptLimit: 3,
  retry: false,
  summary: null,
  question: null,
  reason: null,
  lease: null,
  createdAt: at,
  updatedAt: at,
  startedAt: at,
  endedAt: null,
  ...more,
});

const attempt = (gates: readonly object[] = [], endedAt: string | null = at) => ({
  fence: 1,
  run: "r-1",
  iteration: 1,
  startedAt: at,
  endedAt,
  outcome: null,
  counted: true,
  reason: null,
  record: {
    outcome: endedAt === null ? null : "rejected",
    strength: null,
    why: `It failed: ${EVIL}`,
    harness: "claude",
    model: "opus",
    lane: 1,
    iteration: 1,
    claims: [{ claim: "done", channel: "message" }],
    notes: [EVIL],
    costUsd: 0.5,
    tokens: 1234,
    isEstimated: false,
    isCostPartial: false,
    tools: 2,
    gates,
    verdict: { verdict: "rejected" },
    patch: { files: [{}] },
    commits: [{ commit: "0123456789abcdef", subject: EVIL }],
  },
});

const GATE = {
  gate: "test",
  command: "npm test",
  passed: false,
  end: { kind: "exit", code: 1 },
  runs: 1,
  durationMs: 400,
};

/** A change of so many lines in two files. */
const patch = (lines: number): string =>
  ["src/a.ts", "src/b.ts"]
    .map((path) => {
      const body = Array.from({ length: lines / 2 }, (_, line) => `+const line${line} = "${EVIL}";\n`).join("");
      return `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines / 2} @@\n${body}`;
    })
    .join("");

const set = async (page: Page, path: string, text: string): Promise<void> =>
  await page.evaluate(
    ([name, value]) => void (globalThis as never as { texts: Map<string, string> }).texts.set(name!, value!),
    [path, text],
  );

describe.runIf(existsSync(CHROMIUM))("a task", () => {
  test("U-08 a transcript of 1 MB and a change of 10,000 lines are drawn as far as they are seen", async () => {
    const page = await open();
    const said = Array.from({ length: 4000 }, (_, index) => [
      { type: "agent.text", text: `Step **${index}** ${"of many words ".repeat(12)}` },
      { type: "agent.tool", id: `${index}`, name: "Bash", input: `ls ${EVIL}` },
      { type: "agent.tool-result", id: `${index}`, ok: index % 2 === 0, output: "x\n".repeat(20) },
    ]).flat();
    await set(page, "/runs/r-1/1/transcript", JSON.stringify(said));
    await set(page, "/runs/r-1/1/diff", patch(10_000));
    const data = {
      ...newTask({ status: "failed", title: EVIL }),
      verbs: ["retry"],
      evidence: null,
      dependents: [],
      attemptLog: [attempt([{ ...GATE, output: EVIL, file: null }])],
    };
    await page.evaluate(`showTask(${JSON.stringify(data)})`);
    await page.locator(".lines .added").first().waitFor();
    expect(await page.locator("main *").count()).toBeLessThan(2500);
    const change = page.getByRole("region", { name: "What attempt 1 changed" });
    await change.evaluate((box) => box.scrollTo(0, 50_000));
    await expect
      .poll(async () => await page.locator(".lines .added b:nth-child(2)").first().textContent(), LONG)
      .toMatch(/^2\d\d\d$/);
    const talk = page.getByRole("region", { name: "What the agent said and did" });
    await talk.evaluate((box) => box.scrollTo(0, box.scrollHeight / 2));
    await expect.poll(async () => await talk.innerText(), LONG).toMatch(/Step [12]\d\d\d/);
    expect(await page.locator("main *").count()).toBeLessThan(2500);
    expect([page.problems, await page.title()]).toEqual([[], "ralphctl"]);
    expect(await page.locator("main").innerText()).not.toContain("\u202e");
  });

  test("U-08 a gate's output begins at its end, and keys reach it; a yes is said to settle what may be done already", async () => {
    const page = await open();
    const output = Array.from({ length: 300 }, (_, line) => `line ${line}`).join("\n");
    const data = {
      ...newTask({ status: "parked", question: "Already done? The gates pass." }),
      verbs: ["answer"],
      evidence: null,
      dependents: [],
      attemptLog: [attempt([{ ...GATE, output, file: null }])],
    };
    await page.evaluate(`showTask(${JSON.stringify(data)})`);
    const printed = page.getByRole("group", { name: "Output of gate test" });
    const last = await printed.evaluate((pre: HTMLElement) => {
      const range = document.createRange();
      range.selectNodeContents(pre);
      return Math.round(range.getBoundingClientRect().bottom - pre.getBoundingClientRect().bottom);
    });
    expect(last).toBeLessThanOrEqual(0);
    await printed.focus();
    expect(await printed.evaluate((pre) => pre === document.activeElement)).toBe(true);
    const field = page.getByRole("textbox", { name: "Your answer" });
    expect(await field.getAttribute("aria-describedby")).not.toBe(null);
    await page.getByText("“yes” settles it as done").waitFor();
    await page.close();
  });

  test("U-07 a text that could not be read is asked for again", async () => {
    const page = await open();
    await set(page, "/runs/r-1/1/transcript", JSON.stringify([{ type: "agent.text", text: "I looked at it" }]));
    await set(page, "/runs/r-1/1/diff", patch(20));
    await page.evaluate('for (const name of ["transcript", "diff"]) refused.add("/runs/r-1/1/" + name)');
    const data = { ...newTask({}), verbs: [], evidence: null, dependents: [], attemptLog: [attempt()] };
    await page.evaluate(`showTask(${JSON.stringify(data)})`);
    await page.getByText("I looked at it").waitFor();
    await page.locator(".lines .added").first().waitFor();
    expect(await page.evaluate("refused.size")).toBe(0);
    await page.close();
  });

  test("U-04 a comment on a line, an answer and buttons are sent to the server's verbs", async () => {
    const page = await open(360);
    await set(page, "/runs/r-1/1/transcript", "[]");
    await set(page, "/runs/r-1/1/diff", patch(20));
    const data = {
      ...newTask({ status: "parked", question: "Red or green?" }),
      verbs: ["answer", "context"],
      evidence: null,
      dependents: [],
      attemptLog: [attempt()],
    };
    await page.evaluate(`showTask(${JSON.stringify(data)})`);
    await page.locator(".lines .added").nth(4).locator("b").nth(1).click();
    await page.getByLabel("What the next attempt should know").fill("Say it in one line");
    // Another line is meant: the words stay.
    await page.locator(".lines .added").nth(1).locator("b").nth(1).click();
    await page.getByLabel("Line").fill("5");
    await page.evaluate("acting = new Promise((resolve) => (globalThis.refuse = () => resolve(false))), 0");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByLabel("Line").focus();
    await page.evaluate("refuse(); acting = Promise.resolve(true)");
    // What could not be sent is still there, and to draw it again does not take the person from a field.
    await page.getByRole("button", { name: "Send", exact: true }).waitFor();
    expect(await page.evaluate("document.activeElement.name")).toBe("line");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByLabel("Your answer").fill("Green");
    await page.getByRole("button", { name: "Answer" }).click();
    await expect
      .poll(async () => await page.evaluate("asked"), LONG)
      .toEqual([
        ["comment", { task: "t-1", file: "src/a.ts", line: 5, text: "Say it in one line" }],
        ["comment", { task: "t-1", file: "src/a.ts", line: 5, text: "Say it in one line" }],
        ["answer", { task: "t-1", text: "Green" }],
      ]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    expect(page.problems).toEqual([]);
  });

  test("U-04 a button counts although the one before it is not answered yet, and twice pressed is once", async () => {
    const page = await open();
    const data = {
      ...newTask({ status: "failed" }),
      verbs: ["retry", "drop"],
      evidence: null,
      dependents: [],
      attemptLog: [],
    };
    await page.evaluate(`showTask(${JSON.stringify(data)})`);
    await page.evaluate("acting = new Promise(() => undefined), 0");
    const retry = page.locator(".buttons button").first();
    await retry.click();
    await retry.click();
    await page.getByRole("button", { name: "Drop…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Drop" }).click();
    await expect
      .poll(async () => await page.evaluate("asked"), LONG)
      .toEqual([
        ["retry", { task: "t-1" }],
        ["drop", { task: "t-1" }],
      ]);
  });

  test("U-07 while an agent works, what it says is fetched once, and appears", async () => {
    const page = await open();
    const events = [{ type: "agent.text", text: "First words" }];
    await set(page, "/runs/r-1/1/transcript", JSON.stringify(events));
    const data = {
      ...newTask({ status: "in_progress" }),
      verbs: [],
      evidence: null,
      dependents: [],
      attemptLog: [attempt([], null)],
    };
    await page.evaluate(`showTask(${JSON.stringify(data)})`);
    await page.getByText("First words").waitFor();
    await set(page, "/runs/r-1/1/transcript", JSON.stringify([...events, { type: "agent.text", text: "More words" }]));
    await page.evaluate("tell()");
    await page.getByText("More words").waitFor();
    expect(await page.getByText("First words").count()).toBe(1);
  });
});
