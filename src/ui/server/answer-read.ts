import { openRedactor } from "../../app/redactor.ts";
import type { Talk } from "../../app/page/iteration-talk.ts";
import type { HttpReply } from "../../app/page/serve.ts";
import type { Caller } from "../../app/task/caller.ts";
import { RalphError } from "../../domain/error.ts";
import { mapStrings, type Redactor } from "../../domain/redact.ts";
import { API_READS, TOTAL_HEADER } from "../api.ts";
import { findRoute } from "./find-route.ts";
import { errorReply, jsonReply, reply, withHeaders } from "./replies.ts";
import { createReads, type Reads } from "./routes.ts";

/** Undefined: there is no such address. */
export type AnswerRead = (path: string, query: URLSearchParams) => Promise<HttpReply | undefined>;

/** How long one look at secrets in files and settings holds. */
const SECRETS_MS = 5000;

/** U-06: the filter of reports. It is made anew now and then; the last one holds while the configuration is not valid. */
export function createSecrets(caller: Caller): () => Promise<Redactor> {
  let good: Redactor | undefined;
  let madeAtMs = -Infinity;
  let making: Promise<Redactor> | undefined;
  const make = async (): Promise<Redactor> => {
    try {
      return (good = await openRedactor(caller));
    } catch (error) {
      if (good === undefined) throw error;
      return good;
    }
  };
  return async () => {
    if (making === undefined || performance.now() - madeAtMs > SECRETS_MS) {
      making = make();
      madeAtMs = performance.now();
    }
    return await making;
  };
}

/** U-10: answers reads. U-06: everything goes through the filter. */
export function createAnswerRead(caller: Caller, redactor: () => Promise<Redactor>): AnswerRead {
  const reads = createReads(caller);
  return async (path, query) => {
    const route = findRoute(path, Object.keys(API_READS));
    if (route === undefined) return undefined;
    try {
      const redact = await redactor();
      const name = route.path as keyof Reads; // found among its keys
      const window = windowOf(query);
      const value = await reads[name]({ named: route.named, redact, skip: window.from - 1 });
      if (isRecord(value) && "html" in value) return htmlReply(value.html);
      if (isRecord(value) && "lines" in value) return linesReply(value.lines, window);
      if (isRecord(value) && "talk" in value) return eventsReply(value, window, redact);
      return jsonReply(mapStrings(value, redact));
    } catch (error) {
      return errorReply(error);
    }
  };
}

const isRecord = <Value>(value: Value): value is Exclude<Value, readonly unknown[]> => !Array.isArray(value);

/** The report is one file with its own style: nothing of ours, and no script. The page opens it as a blob. */
const htmlReply = (html: string): HttpReply =>
  withHeaders(reply(200, "text/html; charset=utf-8", html), {
    "content-security-policy":
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox",
  });

interface Window {
  readonly from: number;
  readonly count: number;
}

const MOST_LINES = 20_000;

const linesReply = (lines: readonly string[], { from, count }: Window): HttpReply =>
  withHeaders(
    reply(
      200,
      "text/plain; charset=utf-8",
      lines
        .slice(from - 1, from - 1 + count)
        .map((line) => `${line}\n`)
        .join(""),
    ),
    { [TOTAL_HEADER]: String(lines.length) },
  );

function eventsReply({ before, talk }: Talk, { from, count }: Window, redact: Redactor): HttpReply {
  const at = from - 1 - before;
  return withHeaders(jsonReply(mapStrings(talk.slice(at, at + count), redact)), {
    [TOTAL_HEADER]: String(before + talk.length),
  });
}

function windowOf(query: URLSearchParams): Window {
  const number = (name: string, otherwise: number): number => {
    const text = query.get(name);
    if (text === null) return otherwise;
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
    throw new RalphError("usage", `${name} must be a whole number from 1`, { hint: `Send ${name}=1` });
  };
  return { from: number("from", 1), count: Math.min(number("lines", MOST_LINES), MOST_LINES) };
}
