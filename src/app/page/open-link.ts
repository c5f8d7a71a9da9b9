import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { KnownPage } from "./page-file.ts";

const OPEN = "/open/";
/** A browser that has to start first takes its time. */
const VALID_MS = 60_000;

/**
 * U-03: an address to hand to a browser. Other users see the arguments of programs, so it has no token in it: it is good for
 * a minute and for one request, which leads to the page with its token.
 */
export function openLink({ port, token }: Pick<KnownPage, "port" | "token">): string {
  const nonce = randomBytes(16).toString("base64url");
  const until = String(Date.now() + VALID_MS);
  return `http://127.0.0.1:${port}${OPEN}${nonce}.${until}.${signed(token, nonce, until)}`;
}

/** The server's side: whether a path is such a link, and the first use of it; undefined: it is none. */
export function createOpenLinks(token: string) {
  const used = new Set<string>();
  return (path: string): boolean | undefined => {
    if (!path.startsWith(OPEN)) return undefined;
    const [, nonce, until, mac] = /^([\w-]{22})\.(\d{13,15})\.([\w-]{43})$/.exec(path.slice(OPEN.length)) ?? [];
    if (nonce === undefined || until === undefined || mac === undefined) return false;
    if (!timingSafeEqual(Buffer.from(mac), Buffer.from(signed(token, nonce, until)))) return false;
    const leftMs = Number(until) - Date.now();
    if (leftMs < 0 || leftMs > VALID_MS || used.has(nonce)) return false;
    used.add(nonce);
    return true;
  };
}

const signed = (token: string, nonce: string, until: string): string =>
  createHmac("sha256", token).update(`${nonce}.${until}`).digest("base64url");
