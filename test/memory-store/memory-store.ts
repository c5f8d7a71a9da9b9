import { cleanText } from "../../src/domain/task-input.ts";
import { DECIDING_KINDS } from "../../src/domain/standing.ts";
import { claims } from "./claim.ts";
import { type Entry, isWanted } from "./entry.ts";
import { countsOf, findProblems, treeOf } from "./report.ts";
import { all, derived, entryOf, gone, keep, logged, type MemoryOptions, show, type State } from "./state.ts";
import { writes } from "./write.ts";
import { ambiguousId, noSuchTask } from "../../src/store/task-errors.ts";
import type { Attempt, Store, StoreFile } from "../../src/store/store.ts";

/** The oracle of the model and contract tests: it stores nothing derived and works everything out from definitions. */
export interface MemoryStore extends Store, Pick<StoreFile, "check"> {}

export function createMemoryStore(options: MemoryOptions): MemoryStore {
  return storeOn({ ...options, entries: new Map(), lastSeq: 0, meta: new Map() });
}

function storeOn(state: State): MemoryStore {
  return {
    ...reads(state),
    ...writes(state),
    ...claims(state),
    ...records(state),
    check: async () => findProblems(derived(state), all(state), (lease) => gone(state, lease)),
    preview: (work) => work(storeOn({ ...state, entries: new Map(state.entries), meta: new Map(state.meta) })),
    async close() {},
    async [Symbol.asyncDispose]() {},
  };
}

function reads(
  state: State,
): Pick<Store, "get" | "resolve" | "list" | "each" | "done" | "ready" | "tree" | "scopes" | "counts" | "dependents"> {
  const list: Store["list"] = async (filter = {}, page = {}) => {
    const now = derived(state);
    const after = Number(page.cursor ?? 0);
    const wanted = all(state).filter((entry) => entry.seq > after && isWanted(now.show(entry), filter));
    const chosen = wanted.slice(0, page.limit ?? 1000);
    const cursor = chosen.length < wanted.length ? String(chosen.at(-1)!.seq) : undefined;
    return { tasks: chosen.map(now.show), cursor };
  };
  return {
    get: async (id) => (state.entries.has(id) ? show(state, id) : undefined),
    async resolve(text) {
      if (state.entries.has(text)) return text;
      const matches = [...state.entries.keys()].filter((id) => id.startsWith(text) || id.startsWith(`t-${text}`));
      if (matches.length === 0 || text === "") throw noSuchTask(text);
      if (matches.length > 1) throw ambiguousId(text, matches.sort().slice(0, 10));
      return matches[0]!;
    },
    list,
    async *each(filter, order = "age") {
      const { tasks } = await list(filter, { limit: Number.MAX_SAFE_INTEGER });
      yield* order === "age" ? tasks : [...tasks].sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    async *done({ scopes, only } = {}) {
      const now = derived(state);
      for (const entry of all(state)) {
        const { id, title, isParent, status, scope } = now.show(entry);
        const isAsked = (scopes?.includes(scope) ?? true) && (only?.includes(id) ?? true);
        if (status !== "done" || !isAsked || isParent) continue;
        const last = entry.log.findLast(({ kind }) => DECIDING_KINDS.some((deciding) => deciding === kind));
        const proof = entry.attemptLog.findLast(({ verdict, outcome }) => verdict && outcome === "verified")?.verdict;
        yield { id, title, last: last && { by: last.by, kind: last.kind }, evidence: proof?.evidence };
      }
    },
    async ready({ scopes, limit = 100 } = {}) {
      const now = derived(state);
      const ready = now.queue().filter((entry) => entry.own === "pending" && (scopes?.includes(entry.scope) ?? true));
      return ready.slice(0, limit).map(now.show);
    },
    async tree(filter = {}) {
      if (filter.root !== undefined) entryOf(state, filter.root);
      return treeOf(derived(state), all(state), filter);
    },
    scopes: async () => [...new Set(all(state).map((entry) => entry.scope))].sort(),
    async counts(scopes) {
      return countsOf(all(state).map(derived(state).show), scopes);
    },
    async dependents(id) {
      const found = derived(state).dependents(entryOf(state, id));
      return found.map((entry) => entry.id);
    },
  };
}

function records(state: State): Pick<Store, "note" | "log" | "attempts" | "getMeta" | "setMeta" | "updateMeta"> {
  const getMeta = (key: string): unknown => JSON.parse(state.meta.get(key) ?? "null") ?? undefined;
  const setMeta = (key: string, value: unknown): void => {
    if (value === undefined) state.meta.delete(key);
    else state.meta.set(key, JSON.stringify(value));
  };
  return {
    async note(id, { by, kind, text }) {
      keep(state, logged(state, entryOf(state, id), { by, kind, text: cleanText(text, "note") }));
    },
    log: async (id, kinds) => entryOf(state, id).log.filter(({ kind }) => kinds?.includes(kind) ?? true),
    attempts: async (id, after = 0) =>
      entryOf(state, id)
        .attemptLog.filter(({ fence }) => fence > after)
        .map(withoutTime),
    getMeta: async (key) => getMeta(key),
    setMeta: async (key, value) => setMeta(key, value),
    async updateMeta(key, next) {
      const value = next(getMeta(key));
      setMeta(key, value);
      return value;
    },
  };
}

function withoutTime({ recordedAt: _recordedAt, ...attempt }: Entry["attemptLog"][number]): Attempt {
  return attempt;
}
