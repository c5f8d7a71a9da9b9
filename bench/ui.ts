import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { eventLine } from "../src/domain/run/event-line.ts";
import type { RunEvent } from "../src/domain/run/event.ts";
import { lockTree } from "../src/system/tree-lock.ts";
import { iterationStarted, runStarted } from "../test/run-events.ts";
import type { Print } from "./all.ts";
import { median, row } from "./measure.ts";
import { addTasks, begin, PROGRAM, remove } from "./workspace.ts";

const RUN = "r-20261118-000000-aaaa";
const EVENTS = 100_000;
const ROUNDS = 5;
/** V8 gives back the memory of the start once, some ten seconds later: a median of parts knows that from what each second costs. */
const [IDLE_MS, IDLE_PARTS] = [10_000, 5];
const [PAGES, PER_SECOND, BUSY_MS] = [50, 200, 10_000];
const CHROMIUM = "/usr/bin/chromium";

/** U-07, U-09: what the page and its server cost. The run that is looked at is a log that this process writes. */
export async function benchUi(print: Print): Promise<void> {
  const folder = begin(10, "true");
  const log = join(folder, ".ralph", "runs", RUN, "events.ndjson");
  mkdirSync(join(log, ".."), { recursive: true });
  await addTasks(folder, 100);
  const lines = [runStarted, iterationStarted, ...Array.from({ length: EVENTS - 2 }, (_, n) => talk(n))].map(lineOf);
  const lock = await lockTree(join(folder, ".git"), { run: RUN, scope: "workspace" });
  try {
    await benchCatchUp(print, { folder, log, lines });
    writeFileSync(log, lines.slice(0, 1000).join(""));
    await benchServer(print, { folder, log });
    await benchPaint(print, folder);
  } finally {
    lock.release();
    remove(folder);
  }
  const weight = ["main.js", "page.css"].map((name) => gzipSync(readFileSync(join(PROGRAM, "../page", name))).length);
  print(
    row("script and style, compressed", ...weight.map((bytes) => `${(bytes / 1024).toFixed(1)} kB`), "at most 120 kB"),
  );
}

const talk = (n: number): RunEvent =>
  [
    {
      type: "agent.text" as const,
      iteration: 3,
      text: `I look at file ${n}, and think about what it does for a while`,
    },
    { type: "agent.tool" as const, iteration: 3, name: "Bash", input: `sed -n 1,80p src/orders/refund-${n}.ts` },
    { type: "agent.tool-result" as const, iteration: 3, ok: true, output: "what a tool gave back ".repeat(12) },
  ][n % 3]!;

const lineOf = (event: RunEvent, n: number): string =>
  `${eventLine(event, { at: Date.UTC(2026, 10, 18) + n, run: RUN, redact: (text) => text })}\n`;

type Stop = () => unknown;

/** Whatever it starts ends with it, last first, also if it throws. */
async function ending<Value>(work: (onEnd: (stop: Stop) => void) => Promise<Value>): Promise<Value> {
  const stops: Stop[] = [];
  try {
    return await work((stop) => void stops.unshift(stop));
  } finally {
    for (const stop of stops) await stop();
  }
}

interface Server {
  readonly pid: number;
  readonly url: string;
  /** Resolves when a message of the stream contains these words. */
  readonly stream: (words: string, last?: string) => Promise<() => void>;
  readonly end: () => Promise<void>;
}

async function serve(folder: string): Promise<Server> {
  const env = { PATH: process.env["PATH"], HOME: join(folder, ".."), RALPHCTL_TRUST: "1" };
  const child = spawn(process.execPath, [PROGRAM, "ui", "--no-open"], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const url = await new Promise<string>((resolve) => {
    child.stdout.once("data", (text: Buffer) => resolve(String(text).trim()));
  });
  const [, port = "", token = ""] = /:(\d+)\/#token=(.+)$/.exec(url) ?? [];
  return {
    pid: child.pid!,
    url,
    stream: async (words, last) => await openStream({ port, token, last }, words),
    end: async () => await ended(child),
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGTERM");
  await over;
}

function openStream(
  { port, token, last }: { readonly port: string; readonly token: string; readonly last: string | undefined },
  words: string,
): Promise<() => void> {
  const headers = { "x-ralphctl-token": token, ...(last !== undefined && { "last-event-id": last }) };
  return new Promise((resolve, reject) => {
    const sent = get({ host: "127.0.0.1", port, path: "/api/v1/events", headers, agent: false }, (answer) => {
      let rest = "";
      answer.setEncoding("utf8").on("data", (text: string) => {
        rest = rest.slice(-words.length) + text;
        if (rest.includes(words)) resolve(() => void sent.destroy());
      });
      answer.on("error", () => undefined);
    });
    sent.on("error", reject);
  });
}

/** U-07: snapshot and tail, against parsing the same lines and nothing more. */
async function benchCatchUp(
  print: Print,
  { folder, log, lines }: { readonly folder: string; readonly log: string; readonly lines: readonly string[] },
): Promise<void> {
  writeFileSync(log, lines.join(""));
  const names = ["first", "second", "back"] as const;
  const costs = Array.from({ length: ROUNDS }, () => ({ first: [0, 0], second: [0, 0], back: [0, 0], bare: [0, 0] }));
  for (const cost of costs) {
    cost.bare = await measured("self", () =>
      readFileSync(log, "utf8")
        .split("\n")
        .forEach((line) => line && JSON.parse(line)),
    );
    await ending(async (onEnd) => {
      const server = await serve(folder);
      onEnd(server.end);
      const until = async (last?: string): Promise<void> => (await server.stream(`id: ${RUN}:${EVENTS}\n`, last))();
      cost.first = await measured(server.pid, async () => await until());
      cost.second = await measured(server.pid, async () => await until());
      cost.back = await measured(server.pid, async () => await until(`${RUN}:${EVENTS - 1000}`));
    });
  }
  const of = (name: (typeof names)[number] | "bare", at: number): number =>
    median(costs.map((cost) => cost[name][at]!));
  print(row("", "time", "processor", "bare", "at most"));
  const words = {
    first: "100,000 events, first reader",
    second: "the same, the next one",
    back: "the last 1,000 of them",
  };
  const bare = `${of("bare", 1).toFixed(0)} ms`;
  for (const name of names)
    print(
      row(
        words[name],
        `${of(name, 0).toFixed(0)} ms`,
        `${of(name, 1).toFixed(0)} ms`,
        name === "first" ? bare : "",
        "1000 ms",
      ),
    );
}

async function measured(pid: number | "self", action: () => unknown): Promise<number[]> {
  const [start, before] = [performance.now(), processorMs(pid)];
  await action();
  return [performance.now() - start, processorMs(pid) - before];
}

/** In nanoseconds, thread by thread: counted in hundredths of a second, what is done in a few microseconds is a matter of luck. */
function processorMs(pid: number | "self"): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const spent = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return spent.reduce((sum, each) => sum + each, 0) / 1e6;
}

/** Memory that is its own, in megabytes. */
function ownMb(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const kb = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0);
  return (kb("Private_Clean") + kb("Private_Dirty")) / 1024;
}

const wait = async (ms: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, ms));

/** U-09: a server with one page and nothing to tell, and one with many pages and a lot to tell. */
async function benchServer(
  print: Print,
  { folder, log }: { readonly folder: string; readonly log: string },
): Promise<void> {
  const { bareMb, idle, idleMb, busy, tookMs, busyMb, events } = await ending(async (onEnd) => {
    const node = spawn(process.execPath, ["-e", "require('http').createServer().listen(0, '127.0.0.1')"], {
      stdio: "ignore",
    });
    onEnd(async () => await ended(node));
    const server = await serve(folder);
    onEnd(server.end);
    const join = async (): Promise<void> => onEnd(await server.stream("event: snapshot"));
    await join();
    await wait(3000);
    const parts: number[] = [];
    for (let part = 0; part < IDLE_PARTS; part += 1)
      parts.push((await measured(server.pid, async () => await wait(IDLE_MS)))[1]! / IDLE_MS);
    const [bareMb, idleMb] = [ownMb(node.pid!), ownMb(server.pid)];
    for (let page = 1; page < PAGES; page += 1) await join();
    let n = 1000;
    const [tookMs = 0, busy = 0] = await measured(server.pid, async () => {
      for (const start = performance.now(); performance.now() - start < BUSY_MS; await wait(50)) {
        const due = 1000 + Math.floor(((performance.now() - start) / 1000) * PER_SECOND);
        appendFileSync(log, Array.from({ length: due - n }, (_, at) => lineOf(talk(n + at), n + at)).join(""));
        n = due;
      }
    });
    return { bareMb, idle: median(parts), idleMb, busy, tookMs, busyMb: ownMb(server.pid), events: n - 1000 };
  });
  const memory = (own: number): string[] => [`${own.toFixed(0)} MB`, `${(own - bareMb).toFixed(0)} MB`];
  print(row("", "processor", "memory", "over bare Node", "at most"));
  print(row("one page, nothing happens", `${(idle * 100).toFixed(2)} %`, ...memory(idleMb), "0.5 %, 30 MB"));
  const name = `${PAGES} pages, ${Math.round(events / (tookMs / 1000))} events a second`;
  print(row(name, `${((busy / tookMs) * 100).toFixed(1)} %`, ...memory(busyMb), "100 %"));
}

const PAINTED = `new Promise((resolve) => {
  const look = () => {
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    if (paint === undefined) setTimeout(look, 10);
    else resolve(paint.startTime);
  };
  look();
})`;

/** U-09: from the address to the first words. */
async function benchPaint(print: Print, folder: string): Promise<void> {
  if (!existsSync(CHROMIUM)) return print(row("first paint", "no Chromium"));
  const times = await ending(async (onEnd) => {
    const server = await serve(folder);
    onEnd(server.end);
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    onEnd(async () => await browser.close());
    const paints: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const page = await browser.newPage();
      await page.goto(server.url);
      await page.locator("main h1").waitFor();
      paints.push(await page.evaluate(PAINTED));
      await page.close();
    }
    return paints;
  });
  print(row("first paint", `${median(times.slice(1)).toFixed(0)} ms`, "", "", "300 ms"));
}
