import { signal } from "@preact/signals";
import { goBack, goTo, route } from "./route.ts";
import { hush } from "./toast.tsx";

/** U-08: what the keys do. `?` shows this list. */
export interface KeyRow {
  readonly keys: string;
  readonly meaning: string;
}

export const KEYS: readonly KeyRow[] = [
  { keys: "g n", meaning: "go to Now" },
  { keys: "g y", meaning: "go to Needs you" },
  { keys: "g g", meaning: "go to Graph" },
  { keys: "g r", meaning: "go to Runs" },
  { keys: "j, k", meaning: "next, previous row" },
  { keys: "Enter", meaning: "open the row" },
  { keys: "/", meaning: "search for a task" },
  { keys: "← ↑ ↓ →", meaning: "in the graph: from task to task; with Shift, move it" },
  { keys: "Space", meaning: "in the graph: fold a task's parts, or unfold them" },
  { keys: "+, -, 0", meaning: "in the graph: zoom in, out, show all" },
  { keys: "p", meaning: "pause the run, or continue it" },
  { keys: "s", meaning: "stop after what is under way" },
  { keys: "S", meaning: "stop now" },
  { keys: "c", meaning: "tell the next iteration something" },
  { keys: "Ctrl+Enter", meaning: "send what is written" },
  { keys: "Esc", meaning: "leave a field, close what is open, go back from a task" },
  { keys: "?", meaning: "show or hide this list" },
];

export const isHelpOpen = signal(false);

const PLACES = { n: "now", y: "needs", g: "graph", r: "runs" } as const;
const SEQUENCE_MS = 1500;
/** When `g` was pressed. */
let goneAtMs = -Infinity;

/** What a place does with a key that is only its own. */
const actions = new Map<string, () => void>();

/** Gives keys a meaning until the returned function is called. */
export function withKeys(own: Readonly<Record<string, () => void>>): () => void {
  for (const [key, action] of Object.entries(own)) actions.set(key, action);
  return () => {
    for (const [key, action] of Object.entries(own)) if (actions.get(key) === action) actions.delete(key);
  };
}

export function startKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    // A dialog has keys of its own, and the browser closes it by Esc.
    if (target.closest("dialog") !== null && event.key !== "?") return;
    if (target.matches("input, textarea, select")) {
      if (event.key === "Escape") target.blur();
      return;
    }
    if (onKey(event.key)) event.preventDefault();
  });
}

/** Whether the key meant something. */
function onKey(key: string): boolean {
  const place = performance.now() - goneAtMs < SEQUENCE_MS ? PLACES[key as keyof typeof PLACES] : undefined;
  goneAtMs = -Infinity;
  if (place !== undefined) goTo(place);
  else if (key === "g") goneAtMs = performance.now();
  else if (key === "?") isHelpOpen.value = !isHelpOpen.value;
  else if (key === "j" || key === "k") moveRow(key === "j" ? 1 : -1);
  else if (key === "/") search();
  else if (key === "Escape") leave();
  else {
    const action = actions.get(key);
    action?.();
    return action !== undefined;
  }
  return true;
}

/** The rows of a place are what can be opened; one of them has the focus. */
function moveRow(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")];
  const at = rows.findIndex((row) => row === document.activeElement || row.contains(document.activeElement));
  const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function search(): void {
  const field = document.querySelector<HTMLElement>("main [data-search]");
  if (field !== null) return field.focus();
  isSearchAwaited = true;
  goTo("graph");
}

/** The place to search in may have to be fetched first. */
let isSearchAwaited = false;

/** Given the field as soon as it is there. */
export function takeSearch(field: HTMLElement | null): void {
  if (field === null || !isSearchAwaited) return;
  isSearchAwaited = false;
  if (route.value.place === "graph") field.focus();
}

function leave(): void {
  hush();
  const { place, id } = route.value;
  if (place === "task") goBack("graph");
  else if (id !== "") goTo(place);
}
