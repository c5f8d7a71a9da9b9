import { describe, expect, test } from "vitest";
import { refusalOf } from "./guard.ts";

const PORT = 4400;
const TOKEN = "the-right-token";

function statusOf(target: string, headers: Readonly<Record<string, string | readonly string[]>>): number | undefined {
  const header = (name: string): readonly string[] => [headers[name] ?? []].flat();
  return refusalOf({ target, header }, { port: PORT, token: TOKEN })?.status;
}

const OWN = { host: `127.0.0.1:${PORT}` };
const KNOWN = { ...OWN, "x-ralphctl-token": TOKEN };

describe("U-02 who may ask", () => {
  test.each([`127.0.0.1:${PORT}`, `localhost:${PORT}`, `LOCALHOST:${PORT}`, `[::1]:${PORT}`])(
    "U-02 the host %s is ours",
    (host) => {
      expect(statusOf("/", { host })).toBeUndefined();
      expect(statusOf("/main.js", { host, origin: `http://${host}` })).toBeUndefined();
    },
  );

  test.each([
    [],
    ["evil.example"],
    [`evil.example:${PORT}`],
    ["127.0.0.1"],
    ["127.0.0.1:4401"],
    ["localhost:80"],
    [`127.0.0.1:${PORT}.evil.example`],
    [`127.0.0.1:${PORT}`, `evil.example:${PORT}`],
    [`0.0.0.0:${PORT}`],
    [`127.0.0.2:${PORT}`],
    [`user@127.0.0.1:${PORT}`],
    [` 127.0.0.1:${PORT}`],
  ])("U-02 any other host is refused: %s %s", (...host) => {
    for (const target of ["/", "/main.js", "/api/v1/status", "/api/v1/events"]) {
      expect(statusOf(target, { ...KNOWN, host })).toBe(403);
    }
  });

  test.each([
    "http://evil.example",
    "null",
    `https://127.0.0.1:${PORT}`,
    "http://127.0.0.1:4401",
    "",
    "http://127.0.0.1",
  ])("U-02 the origin %j is not ours", (origin) => expect(statusOf("/api/v1/status", { ...KNOWN, origin })).toBe(403));

  test.each(["cross-site", "same-site", "other"])("U-02 what comes by way of a site that is %s is refused", (site) => {
    expect(statusOf("/", { ...OWN, "sec-fetch-site": site })).toBe(403);
    expect(statusOf("/api/v1/do/stop", { ...KNOWN, "sec-fetch-site": site })).toBe(403);
  });

  test.each(["same-origin", "none"])("U-02 what the page or the person sends is %s", (site) => {
    expect(statusOf("/api/v1/status", { ...KNOWN, "sec-fetch-site": site })).toBeUndefined();
  });
});

describe("U-03 the token", () => {
  test.each([
    [],
    [""],
    ["the-right-toke"],
    ["the-right-token "],
    ["The-right-token"],
    [TOKEN, TOKEN],
    [TOKEN, "x"],
    ["x".repeat(10_000)],
  ])("U-03 nothing of the API is answered without the one token: %s", (...sent) => {
    for (const target of ["/api/v1/status", "/api/v1/events?run=x", "/api/v1/nothing", "/api/v1"]) {
      expect(statusOf(target, { ...OWN, "x-ralphctl-token": sent })).toBe(401);
    }
  });

  test("U-03 the page itself has nothing of the workspace in it, and needs none", () => {
    expect(statusOf("/", OWN)).toBeUndefined();
    expect(statusOf("/api/v1/status", KNOWN)).toBeUndefined();
  });
});
