import { effect, signal } from "@preact/signals";
import { printableLine } from "../../domain/printable.ts";
import { plural } from "../../format/run-text.ts";
import type { NeedData } from "./data.ts";
import { goTo } from "./route.ts";

const canNotify = typeof Notification === "function";
const permission = signal<NotificationPermission>(canNotify ? Notification.permission : "denied");

/** U-11: asked for once, by a button; afterwards it is the browser's to change. */
export function NotifyButton() {
  if (permission.value === "granted") return <p class="faint">This browser tells you when something needs you.</p>;
  if (permission.value !== "default") return null;
  const ask = (): void => {
    void Notification.requestPermission().then((answer) => (permission.value = answer));
  };
  return (
    <button type="button" onClick={ask}>
      Notify me
    </button>
  );
}

/** What waits for a person, as far as the page knows. */
export const needs = signal<readonly NeedData[] | undefined>(undefined);

const keyOf = ({ kind, task, title }: NeedData): string => `${kind} ${task ?? title}`;

/** Those that were not there before; none at the first look, which is no news. */
export function newNeeds(before: readonly NeedData[] | undefined, now: readonly NeedData[]): readonly NeedData[] {
  if (before === undefined) return [];
  const known = new Set(before.map(keyOf));
  return now.filter((need) => !known.has(keyOf(need)));
}

/** Tells of news while the page is not seen, and counts in the title of its tab. */
export function startNotices(name: () => string): void {
  let before: readonly NeedData[] | undefined;
  effect(() => {
    const now = needs.value;
    document.title = titleOf(now?.length ?? 0, name());
    if (now === undefined) return;
    const fresh = newNeeds(before, now);
    before = now;
    if (fresh.length > 0 && permission.value === "granted" && document.visibilityState === "hidden") tell(fresh);
  });
}

export const titleOf = (count: number, name: string): string =>
  `${count === 0 ? "" : `(${count}) `}${name === "" ? "" : `${name} · `}ralphctl`;

function tell(fresh: readonly NeedData[]): void {
  const [first] = fresh;
  const title = fresh.length === 1 ? printableLine(first!.title) : `${plural(fresh.length, "thing")} waiting for you`;
  const notice = new Notification(title, { body: printableLine(first!.text).slice(0, 200), tag: "ralphctl" });
  notice.addEventListener("click", () => {
    globalThis.focus();
    goTo("needs");
    notice.close();
  });
}
