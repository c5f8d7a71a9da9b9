import { connect, type Socket } from "node:net";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { atEnd } from "../at-end.ts";
import { byLane } from "../lane.ts";
import { fileAppears, startLive } from "../live-run.ts";
import { type LoopWorkspace, loopWorkspace } from "../loop-workspace.ts";
import { type PageAnswer, type ServedPage, servedPage } from "../page-client.ts";

const HELD = `sessions:
  - steps:
      - run: "touch {home}/here; while [ ! -e {home}/go ]; do sleep 0.05; done"
      - write: { path: done.txt, text: done }
      - say: <task-done>{task}</task-done>
`;
const LONG = { timeout: 50_000, interval: 20 };
const HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>";

let place: LoopWorkspace;
let page: ServedPage;
let own: { readonly host: string; readonly "x-ralphctl-token": string };

beforeAll(async () => {
  place = await loopWorkspace({ script: HELD, tasks: [HOSTILE, "Park"] });
  page = await servedPage(place.folder);
  own = { host: `127.0.0.1:${page.port}`, "x-ralphctl-token": page.token };
});

const drop = async (headers: Readonly<Record<string, string | readonly string[]>>): Promise<PageAnswer> =>
  await page.send({
    method: "POST",
    path: "/api/v1/do/drop",
    headers: { ...own, "content-type": "application/json", ...headers },
    body: JSON.stringify({ task: place.ids[1] }),
  });

/** Nothing of the attack has changed anything, and the page still answers. */
async function isUnharmed(): Promise<void> {
  expect(Object.values(await place.states())).toEqual(["pending", "pending"]);
  expect((await page.get("/status")).status).toBe(200);
}

describe("U-02 U-03 hostile requests", () => {
  test("U-02 a foreign host, another port, another site, another origin: 403 for reads, writes, events, page and files", async () => {
    const evil: readonly Readonly<Record<string, string>>[] = [
      { host: "evil.example" },
      { host: `evil.example:${page.port}` },
      { host: `127.0.0.1:${page.port + 1}` },
      { host: "127.0.0.1" },
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: `http://127.0.0.1:${page.port + 1}` },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ];
    for (const headers of evil) {
      for (const path of [
        "/",
        "/main.js",
        "/page.css",
        "/api/v1/status",
        "/api/v1/events",
        "/api/v1/nothing",
        "/open/x",
      ]) {
        const { status, headers: answered } = await page.send({ path, headers: { ...own, ...headers } });
        expect({ path, headers, status }).toEqual({ path, headers, status: 403 });
        expect(Object.keys(answered).filter((name) => name.startsWith("access-control"))).toEqual([]);
      }
      expect((await drop(headers)).status).toBe(403);
      const preflight = { method: "OPTIONS", path: "/api/v1/do/drop", headers: { ...own, ...headers } };
      expect((await page.send(preflight)).status).toBe(403);
    }
    await isUnharmed();
  });

  test("U-02 many headers do not hide the one for which a request is refused", async () => {
    const many = { ...own, a: Array.from({ length: 2500 }, () => "") };
    for (const evil of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
      expect((await page.send({ path: "/api/v1/status", headers: { ...many, ...evil } })).status).toBe(403);
    }
    expect((await page.send({ path: "/api/v1/status", headers: many })).status).toBe(200);
  });

  test("U-03 a missing, wrong or old token: 401, and what to type", async () => {
    const old = await servedPage((await loopWorkspace({ script: HELD })).folder);
    for (const token of [undefined, "", "x", page.token.slice(1), `${page.token}x`, old.token]) {
      const headers = { host: own.host, ...(token !== undefined && { "x-ralphctl-token": token }) };
      for (const path of ["/api/v1/status", "/api/v1/events", "/api/v1/runs/x/report", "/api/v1/nothing"]) {
        const answer = await page.send({ path, headers });
        expect(answer.status).toBe(401);
        expect(answer.json).toEqual({
          error: "The token is missing, wrong or old: each start of the page has another",
          hint: "Type ralphctl ui --url, and open the address that it prints",
        });
      }
    }
    for (const path of [`/api/v1/status?token=${page.token}`, `/api/v1/status?x-ralphctl-token=${page.token}`]) {
      expect((await page.send({ path, headers: { host: own.host } })).status).toBe(401);
    }
    const cookie = { host: own.host, cookie: `x-ralphctl-token=${page.token}` };
    expect((await page.send({ path: "/api/v1/status", headers: cookie })).status).toBe(401);
    await old.end();
    await isUnharmed();
  });

  test("U-04 paths that lead out, escapes and other methods find nothing", async () => {
    const parts = [
      "..",
      "%2e%2e",
      "..%2f..%2fetc%2fpasswd",
      "%2Fetc%2Fpasswd",
      "a%00b",
      "a\\b",
      "%5c..",
      ".",
      "-%",
      "a;b",
    ];
    const around = (part: string): string[] => [
      `/${part}`,
      `/${part}/main.js`,
      `/api/v1/tasks/${part}`,
      `/api/v1/runs/${part}`,
      `/api/v1/runs/${part}/1`,
      `/api/v1/runs/${part}/report`,
      `/api/v1/runs/x/${part}`,
      `/api/v1/runs/x/1/gate/${part}`,
      `/api/v1/do/${part}`,
      `/api/v1/../../${part}`,
    ];
    for (const path of parts.flatMap(around)) {
      const { status, text } = await page.send({ path, headers: own });
      expect([400, 404]).toContain(status);
      expect(text).not.toContain("root:");
    }
    for (const path of ["//evil.example/", "http://evil.example/api/v1/status", "/api/v1//status", "/api/v1/status/"]) {
      expect([400, 403, 404]).toContain((await page.send({ path, headers: own })).status);
    }
    const run = await page.get(`/events?run=${encodeURIComponent("../../../etc/passwd")}`);
    expect(run.text).not.toContain("root:");
    for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "POST"]) {
      expect((await page.send({ method, path: "/api/v1/status", headers: own })).status).toBe(405);
      expect((await page.send({ method, path: "/", headers: own })).status).toBe(405);
    }
    await isUnharmed();
  });

  test("U-06 every answer has the headers that keep others out, and hostile texts are never a page", async () => {
    const answers = [
      await page.send({ path: "/", headers: own }),
      await page.send({ path: "/main.js", headers: own }),
      await page.get("/status"),
      await page.get("/graph"),
      await page.get(`/tasks/${place.ids[0]}`),
      await page.get("/nothing"),
      await page.get(`/runs/${encodeURIComponent(HOSTILE)}`),
      await page.send({ path: "/api/v1/status", headers: { ...own, host: "evil.example" } }),
      await page.post(HOSTILE.replaceAll(/\W/g, ""), {}),
      await page.post("drop", { task: HOSTILE }),
    ];
    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        "content-security-policy": expect.stringMatching(/^default-src 'none'; script-src 'self'; style-src 'self';/),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-embedder-policy": "require-corp",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store",
      });
      expect(headers["content-security-policy"]).not.toContain("unsafe");
      expect(headers["set-cookie"]).toBeUndefined();
    }
    for (const { headers, text } of answers.filter(({ text: each }) => each.includes("onerror"))) {
      expect(headers["content-type"]).toBe("application/json; charset=utf-8");
      expect(JSON.parse(text)).toBeDefined();
    }
  });

  test("U-04 100 MB are refused before they are read, with or without their length", async () => {
    const huge = Buffer.alloc(1024 * 1024, 97);
    for (const length of [`content-length: ${100 * 1024 * 1024}`, "transfer-encoding: chunked"]) {
      const socket = await open();
      let answer = "";
      let isClosed = false;
      socket.on("data", (piece) => (answer += piece.toString()));
      socket.on("close", () => (isClosed = true));
      socket.write(
        `POST /api/v1/do/drop HTTP/1.1\r\nhost: ${own.host}\r\nx-ralphctl-token: ${page.token}\r\ncontent-type: application/json\r\n${length}\r\n\r\n`,
      );
      let sent = 0;
      while (!socket.closed && sent < 100) {
        if (length.startsWith("transfer")) socket.write(`${huge.length.toString(16)}\r\n`);
        const isTaken = socket.write(huge);
        sent += 1;
        if (!isTaken) await Promise.race([drained(socket), closed(socket)]);
      }
      await vi.waitUntil(() => isClosed, LONG);
      expect(answer === "" || answer.startsWith("HTTP/1.1 413 ")).toBe(true);
      expect(sent).toBeLessThan(100);
    }
    const words = "x".repeat(300_000);
    expect((await page.post("answer", { task: place.ids[1], text: words })).status).toBe(413);
    const headers = { ...own, "x-much": "y".repeat(20_000) };
    const large = await page.send({ path: "/api/v1/status", headers }).catch(() => ({ status: 0 }));
    expect([0, 431]).toContain(large.status);
    await isUnharmed();
  });

  test("U-09 a thousand connections that say nothing, or a letter at a time, neither stop the page nor a run beside it", async () => {
    const live = startLive(place.folder, "--task", place.ids[0]!);
    await fileAppears(join(place.folder, "here"));
    const sockets: Socket[] = [];
    atEnd(() => sockets.forEach((socket) => socket.destroy()));
    for (let count = 0; count < byLane(300, 1000); count += 1) {
      const socket = connect(page.port, "127.0.0.1");
      socket.on("error", () => undefined);
      if (count % 2 === 0) socket.write("GET /api/v1/status HTTP/1.1\r\nx-slow: ");
      sockets.push(socket);
    }
    const slow = setInterval(() => sockets.forEach((socket) => socket.writable && socket.write("x")), 500);
    atEnd(() => clearInterval(slow));
    place.write({ go: "" });
    expect((await live.ended).finished?.ending).toBe("complete");
    // Whoever has not said what it wants after ten seconds is cut off; then there is room for everybody.
    const answers = async (): Promise<boolean> => (await page.get("/runs").catch(() => undefined))?.status === 200;
    await vi.waitUntil(answers, { timeout: 100_000, interval: 200 });
    await vi.waitUntil(() => sockets.every((socket) => socket.closed || socket.destroyed), {
      timeout: 100_000,
      interval: 100,
    });
    clearInterval(slow);
    expect((await page.get("/runs")).json[0]).toMatchObject({ state: "finished", ending: "complete" });
  }, 200_000);

  test("U-03 the token is in no log of ours and in nothing that the page is told", async () => {
    const seen = page.events();
    await seen.until(({ event }) => event === "snapshot");
    seen.close();
    for (const path of ["/status", "/runs", "/needs", "/graph"])
      expect((await page.get(path)).text).not.toContain(page.token);
    expect(JSON.stringify(seen.seen)).not.toContain(page.token);
    expect(page.told()).not.toContain(page.token);
    const files = readdirSync(join(place.folder, ".ralph"), { recursive: true, withFileTypes: true });
    for (const file of files.filter((each) => each.isFile())) {
      expect(readFileSync(join(file.parentPath, file.name), "latin1")).not.toContain(page.token);
    }
  });
});

async function open(): Promise<Socket> {
  const socket = connect(page.port, "127.0.0.1");
  socket.on("error", () => undefined);
  atEnd(() => void socket.destroy());
  await new Promise((resolve) => socket.once("connect", resolve));
  return socket;
}

const drained = async (socket: Socket): Promise<unknown> =>
  await new Promise((resolve) => socket.once("drain", resolve));
const closed = async (socket: Socket): Promise<unknown> =>
  await new Promise((resolve) => socket.once("close", resolve));
