import { formatDuration } from "../../domain/duration.ts";
import { localTime } from "../../format/run-text.ts";
import { nowMs } from "./clock.ts";

type Moment = string | number | null | undefined;

const msOf = (at: Moment): number | undefined => {
  const ms = typeof at === "string" ? Date.parse(at) : at;
  return typeof ms === "number" && Number.isFinite(ms) ? ms : undefined;
};

/** `5 min ago`, with the time itself in its title. */
export function Ago({ at }: { readonly at: Moment }) {
  const ms = msOf(at);
  if (ms === undefined) return null;
  return (
    <time dateTime={new Date(ms).toISOString()} title={localTime(ms)}>
      {agoText(ms, nowMs.value)}
    </time>
  );
}

/** How long it has lasted, counted by the second. */
export function Since({ at }: { readonly at: Moment }) {
  const ms = msOf(at);
  if (ms === undefined) return null;
  return (
    <time class="number" title={`since ${localTime(ms)}`}>
      {formatDuration(Math.max(0, nowMs.value - ms))}
    </time>
  );
}

/** How long a run lasted; one that goes on lasts, whenever it said its last word. */
export const Lasted = ({ run }: { readonly run: Readonly<Record<"state" | "startedAt" | "lastAt", string>> }) =>
  run.state === "running" ? (
    <Since at={run.startedAt} />
  ) : (
    <span class="number">{formatDuration(Math.max(0, Date.parse(run.lastAt) - Date.parse(run.startedAt)))}</span>
  );

/** How long until then. Rounded up: at zero it is over. */
export function Until({ at }: { readonly at: number }) {
  const left = Math.max(0, Math.ceil((at - nowMs.value) / 1000) * 1000);
  return (
    <time class="number" title={`until ${localTime(at)}`}>
      {formatDuration(left)}
    </time>
  );
}

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

export function agoText(ms: number, now: number): string {
  const passed = Math.max(0, now - ms);
  if (passed < MINUTE) return "just now";
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h ago`;
  const days = Math.floor(passed / DAY);
  return days === 1 ? "yesterday" : days < 30 ? `${days} days ago` : localTime(ms).slice(0, 10);
}
