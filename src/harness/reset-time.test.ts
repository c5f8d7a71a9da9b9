import { expect, test } from "vitest";
import { resetInFields, resetTime } from "./reset-time.ts";

const NOW = Date.UTC(2026, 10, 15, 19, 40);
const at = (...parts: [number, number, number, number, number]): string => new Date(Date.UTC(...parts)).toISOString();
const read = (text: string, now = NOW): string | undefined => {
  const ms = resetTime(text, now);
  return ms === undefined ? undefined : new Date(ms).toISOString();
};
/** What a clock of this machine means, for CLIs that do not name the zone. */
const local = (...parts: [number, number, number, number, number]): string => new Date(...parts).toISOString();

test.each([
  ["You've hit your 5-hour limit · resets 9:26pm (UTC)", at(2026, 10, 15, 21, 26)],
  ["You’ve hit your limit · resets 3pm (America/New_York)", at(2026, 10, 15, 20, 0)],
  ["Limit reached ∙ resets 2am (Europe/Warsaw)", at(2026, 10, 16, 1, 0)],
  ["Weekly limit reached · resets Nov 18, 7pm (UTC)", at(2026, 10, 18, 19, 0)],
  ["resets Jan 2, 12am (UTC)", at(2027, 0, 2, 0, 0)],
  // It is past one o'clock there already.
  ["resets 12:30am (Asia/Kolkata)", at(2026, 10, 16, 19, 0)],
  ["Claude AI usage limit reached|1794777999", "2026-11-15T21:26:39.000Z"],
  ['{"error":{"type":"usage_limit_reached","resets_at":1794777999}}', "2026-11-15T21:26:39.000Z"],
  ['{"resets_in_seconds":3600}', at(2026, 10, 15, 20, 40)],
  ["Please try again in 1.2s.", "2026-11-15T19:40:01.200Z"],
  ["Please try again in 51 hours.", at(2026, 10, 17, 22, 40)],
  ["Your quota will reset after 5s.", "2026-11-15T19:40:05.000Z"],
  ["Please retry in 1s.\nSuggested retry after 1s.", "2026-11-15T19:40:01.000Z"],
  ["try again in 3 days 4 hours 12 minutes", at(2026, 10, 18, 23, 52)],
  ["reset after 18h12m", at(2026, 10, 16, 13, 52)],
  ["try again in 250ms", "2026-11-15T19:40:00.250Z"],
  ["Try again in about 2 hrs", at(2026, 10, 15, 21, 40)],
  ["Your limit will reset in 2 weeks.", at(2026, 10, 29, 19, 40)],
  // The span of the limit is not that of the wait.
  ["You used 50 messages in 3 hours. Try again at 9:26 PM (UTC).", at(2026, 10, 15, 21, 26)],
  ["Please try again at 21:26 UTC", at(2026, 10, 15, 21, 26)],
  ["resets 9:26 PM Europe/Berlin", at(2026, 10, 15, 20, 26)],
  ["resets 0:15 (UTC)", at(2026, 10, 16, 0, 15)],
  ["Rate limited until 2026-11-18T07:53:00Z.", at(2026, 10, 18, 7, 53)],
  ["try again at 2026-11-18 07:53 UTC", at(2026, 10, 18, 7, 53)],
  ['{"resets_at":"2026-11-18T08:53:00.000+01:00"}', at(2026, 10, 18, 7, 53)],
  ['{"resetAt":1794777999000}', "2026-11-15T21:26:39.000Z"],
  ["You will regain access on 2026-12-01 at 00:00 UTC.", at(2026, 11, 1, 0, 0)],
  ["usage limit reached. Reset time: 2026-11-15T21:00:00Z", at(2026, 10, 15, 21, 0)],
  // Short names of zones, and a distance to Greenwich.
  ["try again at 9:26 PM PST", at(2026, 10, 16, 5, 26)],
  ["resets 9pm PT", at(2026, 10, 16, 5, 0)],
  ["try again at 21:26 CET.", at(2026, 10, 15, 20, 26)],
  ["resets at 10:00 (UTC+8)", at(2026, 10, 16, 2, 0)],
  ["resets at 10:00 GMT-3", at(2026, 10, 16, 13, 0)],
  ["resets at midnight Pacific time", at(2026, 10, 16, 8, 0)],
  ["resets at noon (UTC)", at(2026, 10, 16, 12, 0)],
  // Days by their names. It is a Sunday.
  ["Weekly limit reached ∙ resets Mon 7am (UTC)", at(2026, 10, 16, 7, 0)],
  ["resets Tues, 7am UTC", at(2026, 10, 17, 7, 0)],
  ["resets Sept 3, 2027 7am UTC", at(2027, 8, 3, 7, 0)],
  ["resets Sunday at 7:00 AM UTC", at(2026, 10, 22, 7, 0)],
  ["resets tomorrow at 9am (UTC)", at(2026, 10, 16, 9, 0)],
  ["Try again after Sun, 15 Nov 2026 21:00:00 GMT", at(2026, 10, 15, 21, 0)],
  ["Resets at 15 November 2026, 21:00 UTC", at(2026, 10, 15, 21, 0)],
  // Spans without a number or a unit.
  ["try again in an hour", at(2026, 10, 15, 20, 40)],
  ["please wait for 20 seconds before trying again", "2026-11-15T19:40:20.000Z"],
  ["429 Too Many Requests. Retry-After: 30", "2026-11-15T19:40:30.000Z"],
])("P-43 %j has its reset", (text, expected) => {
  expect(read(text)).toBe(expected);
});

test("P-43 a clock without a zone is this machine's, and one that has passed is tomorrow's", () => {
  const noon = new Date(2026, 10, 15, 12, 0).getTime();
  expect(read("You’ve hit your usage limit. Upgrade or try again at 9:36 PM.", noon)).toBe(local(2026, 10, 15, 21, 36));
  expect(read("try again at 9:36 AM.", noon)).toBe(local(2026, 10, 16, 9, 36));
  expect(read("try again at Nov 18th, 2026 7:53 PM.", noon)).toBe(local(2026, 10, 18, 19, 53));
  expect(read("Please wait for your limit to reset on April 20, 2027 at 2:00 AM.", noon)).toBe(
    local(2027, 3, 20, 2, 0),
  );
  expect(read("or wait for your allowance to renew on December 1.", noon)).toBe(local(2026, 11, 1, 0, 0));
  expect(read("Try again after 2026-12-01", noon)).toBe(local(2026, 11, 1, 0, 0));
  expect(read("Try again tomorrow.", noon)).toBe(local(2026, 10, 16, 0, 0));
});

test("P-43 a day on which clocks are changed has its own length", () => {
  const before = Date.UTC(2026, 9, 31, 12, 0);
  expect(read("resets Nov 1, 7am (America/New_York)", before)).toBe(at(2026, 10, 1, 12, 0));
});

test.each([
  "",
  "Overloaded",
  "exceeded retry limit, last status: 429 Too Many Requests",
  "Rate limit reached in organization org-1 on tokens per min (TPM): Limit 30000, Used 22999",
  "resets 27pm (UTC)",
  "in 5 minutes the server failed",
  "resets at some time (Nowhere/Land)",
  "resets 25:10",
  "try again 5 times",
  "try again at 2026-99-99T07:53:00Z",
  "try again in a few seconds",
  "Your limit resets monthly.",
  "try again maybe 5 times",
  "resets on days that end",
  "Retry after 3 failures",
  "until now 5:3 was right",
])("P-43 %j says nothing of a reset", (text) => {
  expect(read(text)).toBe(undefined);
});

test.each([
  [{ retry_after: 30 }, 30],
  [{ retryAfter: "30" }, 30],
  [{ retry_after_ms: 2500 }, 2.5],
  [{ details: [{ "@type": "x/RetryInfo", retryDelay: "34.07s" }] }, 34.07],
  [{ metadata: { headers: { "X-RateLimit-Reset": "1794787200000" } } }, 15_600],
  [{ reset_at: 1_794_787_200, retry_after: 5 }, 15_600],
  [{ reset_in: "2h" }, 7200],
  [{ resetTime: "2026-11-16T00:00:00Z" }, 15_600],
  [{ resets_at: -1, retry_after: "soon", reset: null }, undefined],
  [{ retries: 5, reset_count: 3, preset: 7 }, undefined],
])("P-43 fields of a server's answer have the reset: %j", (error, seconds) => {
  const ms = resetInFields({ error }, NOW);
  expect(ms === undefined ? undefined : (ms - NOW) / 1000).toBe(seconds);
});

test("however long the text is, it is read in linear time", () => {
  const text = "try again in ".repeat(50_000) + " ".repeat(500_000) + "1".repeat(200_000);
  expect(read(text)).toBe(undefined);
});
