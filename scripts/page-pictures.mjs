// Plays a run with lanes, looks at it with the page of `ralphctl ui`, and keeps two pictures: docs/page-now.png and
// docs/page-needs.png. Needs a built program and Chromium. Agents are scripted; everything else is real.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";

const home = mkdtempSync(join(tmpdir(), "ralphctl-pictures-"));
const folder = join(home, "shop");
const env = { PATH: process.env.PATH, HOME: home, RALPHCTL_TRUST: "1", TZ: "UTC" };
const program = resolve("dist/bin.js");
const ralphctl = (...args) =>
  execFileSync(process.execPath, [program, ...args], { cwd: folder, env, encoding: "utf8" });
const git = (...args) => execFileSync("git", args, { cwd: folder, env });

/** Titles, what they need by number, and what the agent of each does. */
const WORK = {
  steps: [{ run: "echo done > $RALPHCTL_TASK.txt" }, { cost: 0.42 }, { say: "<task-done>{task}</task-done>" }],
};
const TASKS = [
  ["Store orders in the database", [], WORK],
  ["Read the catalogue from a file", [], WORK],
  ["Put a product into the basket", [1], WORK],
  ["Show the basket on every page", [2], WORK],
  [
    "Ask for the address before paying",
    [0, 2],
    { steps: [{ run: "ralphctl task park $RALPHCTL_TASK 'Do we deliver abroad? The form needs a country then.'" }] },
  ],
  ["Pay by card", [0], { steps: [{ say: "It needs a contract.\n\n<task-failed>{task}</task-failed>" }] }],
  [
    "Send a mail when an order is paid",
    [0],
    { steps: [{ cost: 0.31 }, { run: "true npm test -- --run src/mail/order-paid.test.ts" }, { hang: true }] },
  ],
  [
    "Search products by name",
    [1],
    {
      steps: [
        { cost: 0.18 },
        { say: "The index is built once at the start; I will measure it with 10,000 products next." },
        { hang: true },
      ],
    },
  ],
  [
    "Refund an order",
    [0],
    { steps: [{ cost: 0.27 }, { run: "true sed -n 1,80p src/orders/refund.ts" }, { hang: true }] },
  ],
  ["Export invoices for the accountant", [4, 5], WORK],
  ["Count what is in stock", [0], WORK],
];

mkdirSync(folder, { recursive: true });
git("init", "--quiet", "--initial-branch=main");
git("config", "user.name", "A person");
git("config", "user.email", "person@example.org");
ralphctl("init");
const sessions = TASKS.map(([title, , session]) => ({ when: { title }, steps: session.steps }));
writeFileSync(join(home, "script.yaml"), JSON.stringify(sessions));
writeFileSync(
  join(folder, ".ralph/config.yaml"),
  `harness: scripted
harnesses: { scripted: { script: ${JSON.stringify(join(home, "script.yaml"))} } }
gates: [{ id: lint, run: "true" }, { id: test, run: sleep 0.2 }]
limits: { attempts: 1, cost: 20 }
`,
);
git("add", "-A");
git("commit", "--quiet", "-m", "Begin");
const ids = [];
for (const [title, needs] of TASKS) {
  ids.push(ralphctl("task", "add", title, ...needs.flatMap((at) => ["--needs", ids[at]])).trim());
}

const started = [];
const start = (...args) => {
  const child = spawn(process.execPath, [program, ...args], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  started.push(child);
  return child;
};
try {
  const served = start("ui", "--no-open");
  const url = await new Promise((done) => served.stdout.once("data", (text) => done(String(text).split("\n")[0])));
  start("run", "--json", "--lanes", "3").stdout.resume();
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: 1180, height: 820 }, colorScheme: "light" });
  page.setDefaultTimeout(60_000);
  await page.goto(url);
  for (const words of ["The index is built", "order-paid.test.ts", "refund.ts"])
    await page.getByText(words).first().waitFor();
  await page.getByRole("link", { name: /Needs you 2/ }).waitFor();
  await page.screenshot({ path: "docs/page-now.png" });
  await page
    .getByRole("link", { name: /Needs you/ })
    .first()
    .click();
  await page.getByRole("article").first().waitFor();
  await page.screenshot({ path: "docs/page-needs.png" });
  await browser.close();
} finally {
  const ended = started.map(
    (child) => new Promise((done) => (child.exitCode === null ? child.once("close", done) : done())),
  );
  for (const child of started.toReversed()) child.kill("SIGTERM");
  await Promise.all(ended);
  rmSync(home, { recursive: true, force: true });
}
