import { spawn } from "node:child_process";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { vi } from "vitest";
import { API, TOKEN_HEADER } from "../src/ui/api.ts";
import { atEnd } from "./at-end.ts";
import { PROGRAM } from "./built-program.ts";
import { homeOf } from "./temporary-folder.ts";

/** A `ralphctl ui` of the built program. */
export interface ServedPage {
  readonly pid: number;
  readonly port: number;
  readonly token: string;
  readonly url: string;
  readonly told: () => string;
  readonly get: (path: string) => Promise<PageAnswer>;
  readonly post: (verb: string, body: unknown) => Promise<PageAnswer>;
  /** Any request, with exactly these headers. */
  readonly send: (request: RawRequest) => Promise<PageAnswer>;
  readonly events: (options?: { last?: string; run?: string }) => EventStream;
  readonly end: () => Promise<number | null>;
  /** How it ended. */
  readonly ended: Promise<number | null>;
}

export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
  readonly host?: string;
}

export interface PageAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body, if it is JSON. */
  // oxlint-disable-next-line no-explicit-any -- each test knows what it asked for
  readonly json: any;
}

export interface PageEvent {
  readonly id: string | undefined;
  readonly event: string;
  // oxlint-disable-next-line no-explicit-any -- each test knows what it waits for
  readonly data: any;
}

export interface EventStream {
  readonly seen: readonly PageEvent[];
  /** Resolves with the first event that fits. */
  readonly until: (fits: (event: PageEvent) => boolean) => Promise<PageEvent>;
  readonly close: () => void;
}

const LONG = { timeout: 50_000, interval: 10 };

/** Starts the page of a workspace; it ends with the test file at the latest. */
export async function servedPage(folder: string, ...args: readonly string[]): Promise<ServedPage> {
  const child = spawn(process.execPath, [PROGRAM, "ui", "--no-open", ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], ...homeOf(folder) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  let isOver = false;
  const ended = new Promise<number | null>((resolve) => {
    child.on("close", (code) => {
      isOver = true;
      resolve(code);
    });
  });
  atEnd(() => {
    if (!isOver) child.kill("SIGKILL");
  });
  await vi.waitUntil(() => stdout.includes("\n") || isOver, LONG);
  const [url = ""] = stdout.split("\n");
  const [, port, token] = /^http:\/\/127\.0\.0\.1:(\d+)\/#token=(.+)$/.exec(url) ?? [];
  if (port === undefined || token === undefined) throw new Error(`It printed no address: ${stdout}${stderr}`);
  return {
    ...pageAt(Number(port), token),
    pid: child.pid!,
    url,
    told: () => stderr,
    ended,
    end: async () => {
      if (!isOver) child.kill("SIGTERM");
      return await ended;
    },
  };
}

/** The requests that a page sends. */
export function pageAt(port: number, token: string) {
  const own = { host: `127.0.0.1:${port}`, [TOKEN_HEADER]: token };
  const send = async (raw: RawRequest): Promise<PageAnswer> => await exchange(port, raw);
  return {
    port,
    token,
    send,
    get: async (path: string) => await send({ path: `${API}${path}`, headers: own }),
    post: async (verb: string, body: unknown) =>
      await send({
        method: "POST",
        path: `${API}/do/${verb}`,
        headers: { ...own, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    events: ({ last, run }: { last?: string; run?: string } = {}) =>
      openStream(port, `${API}/events${run === undefined ? "" : `?run=${run}`}`, {
        ...own,
        ...(last !== undefined && { "last-event-id": last }),
      }),
  };
}

function exchange(port: number, raw: RawRequest): Promise<PageAnswer> {
  const { method = "GET", path, headers = {}, body, host = "127.0.0.1" } = raw;
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { host, port, method, path, headers: headers as Record<string, string>, agent: false },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (piece: string) => (text += piece));
        answer.on("end", () => {
          const isJson = answer.headers["content-type"]?.startsWith("application/json") === true;
          const json: unknown = isJson ? JSON.parse(text) : undefined;
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, json });
        });
        answer.on("error", reject);
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

function openStream(port: number, path: string, headers: Record<string, string>): EventStream {
  const seen: PageEvent[] = [];
  let rest = "";
  const sent = httpRequest({ host: "127.0.0.1", port, path, headers, agent: false }, (answer) => {
    answer.setEncoding("utf8").on("data", (piece: string) => {
      const frames = (rest + piece).split("\n\n");
      rest = frames.pop()!;
      for (const frame of frames) if (!frame.startsWith(":")) seen.push(eventOf(frame));
    });
    answer.on("error", () => undefined);
  });
  sent.on("error", () => undefined);
  sent.end();
  atEnd(() => void sent.destroy());
  return {
    seen,
    until: async (fits) => {
      await vi.waitUntil(() => seen.some(fits), LONG);
      return seen.find(fits)!;
    },
    close: () => void sent.destroy(),
  };
}

function eventOf(frame: string): PageEvent {
  const field = (name: string): string | undefined =>
    frame
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  return { id: field("id"), event: field("event") ?? "", data: JSON.parse(field("data") ?? "null") };
}
