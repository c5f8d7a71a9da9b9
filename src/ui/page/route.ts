import { signal } from "@preact/signals";

/** Where one is in the page: `#/task/t-1a2b`. */
export interface PageRoute {
  readonly place: PagePlace;
  /** The task or the run; empty: none. */
  readonly id: string;
}

export type PagePlace = "now" | "needs" | "graph" | "task" | "runs";

const PLACES: ReadonlySet<string> = new Set<PagePlace>(["now", "needs", "graph", "task", "runs"]);

/** Anything else is the beginning. */
export function routeOf(hash: string): PageRoute {
  const [, place = "", id = ""] = /^#\/([a-z]*)(?:\/([^]*))?$/.exec(hash) ?? [];
  return PLACES.has(place) ? { place: place as PagePlace, id: decoded(id) } : { place: "now", id: "" };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const hrefOf = (place: PagePlace, id = ""): string =>
  `#/${place}${id === "" ? "" : `/${encodeURIComponent(id)}`}`;

export const route = signal<PageRoute>({ place: "now", id: "" });

/** The addresses behind this one that are places of this page. */
const trail: string[] = [];

/** Notes where one is now; a way back to where one was is no way forward. */
export function arriveAt(hash: string): void {
  if (trail.at(-2) === hash) trail.pop();
  else if (trail.at(-1) !== hash) trail.push(hash);
  route.value = routeOf(hash);
}

/** Back to the place before; to this one, if a link from elsewhere led here: the page is not left. */
export function goBack(otherwise: PagePlace): void {
  if (trail.length > 1) history.back();
  else goTo(otherwise);
}

export function goTo(place: PagePlace, id = ""): void {
  location.hash = hrefOf(place, id);
}
