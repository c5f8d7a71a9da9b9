/** A path that matches a pattern such as `/tasks/ID`. */
export interface Route {
  readonly path: string;
  /** The parts that are written in capitals, in order. */
  readonly named: readonly string[];
}

/** Ids of tasks and runs, numbers, verbs: nothing that needs an escape, and no way up or down in a tree of files. */
const PART = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/;

const isNamed = (part: string): boolean => /^[A-Z]+$/.test(part);

/** Nothing is decoded: an escape in a path is never one of ours. */
export function findRoute(path: string, patterns: readonly string[]): Route | undefined {
  const parts = path.split("/");
  for (const pattern of patterns) {
    const wanted = pattern.split("/");
    if (wanted.length !== parts.length) continue;
    const fits = wanted.every((part, at) => (isNamed(part) ? PART.test(parts[at]!) : part === parts[at]));
    if (fits) return { path: pattern, named: parts.filter((_, at) => isNamed(wanted[at]!)) };
  }
  return undefined;
}
