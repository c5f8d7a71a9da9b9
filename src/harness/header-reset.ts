import { asText, type JsonObject } from "./json-line.ts";
import { resetTime } from "./reset-time.ts";

/** When a limit ends, from the headers of the answer that told of it. The names are in lower case. */
export function headerReset(headers: JsonObject, nowMs: number): number | undefined {
  const text = (name: string): string => asText(headers[name])?.trim() ?? "";
  const epoch = /^\d{10}$/.exec(text("anthropic-ratelimit-unified-reset"))?.[0];
  if (epoch !== undefined) return Number(epoch) * 1000;
  const ms = /^\d+(?:\.\d+)?$/.exec(text("retry-after-ms"))?.[0];
  if (ms !== undefined) return nowMs + Number(ms);
  const after = text("retry-after");
  if (/^\d+(?:\.\d+)?$/.test(after)) return nowMs + Number(after) * 1000;
  // A date, as the protocol allows; never the past.
  const date = /^[A-Z][a-z]{2}, \d/.test(after) ? Date.parse(after) : Number.NaN;
  if (date > nowMs) return date;
  const spans = ["x-ratelimit-reset-requests", "x-ratelimit-reset-tokens"].flatMap(
    (name) => resetTime(`reset in ${text(name)}`, nowMs) ?? [],
  );
  return spans.length === 0 ? undefined : Math.max(...spans);
}
