import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type IterationOutcome, OUTCOME_RULES } from "../domain/run/outcome.ts";
import {
  advance,
  defaultIterations,
  endingOf,
  emptyTally,
  type Limit,
  reachedLimit,
  remedy,
  type RunEnd,
  type RunEnding,
  type RunLimits,
  type WorkLeft,
} from "../domain/run/policy.ts";
import type { TaskId } from "../domain/task.ts";
import { createMemoryStore } from "../../test/memory-store/memory-store.ts";
import type { Store } from "../store/store.ts";

// The policy alone, with a store and without agents, git or gates: random outcomes in place of sessions.

interface Turn {
  readonly outcome: IterationOutcome;
  readonly costUsd: number;
  /** What the iteration leaves behind: the same again is no progress. */
  readonly tree: number;
}

interface Played {
  readonly ending: RunEnding;
  readonly limit: Limit | undefined;
  readonly stopped: RunEnd["brokeOff"];
  readonly claims: readonly TaskId[];
  readonly iterations: number;
  readonly left: WorkLeft;
}

const owner = { host: "here", pid: 1, startTime: "1" };
const outcomes = (Object.keys(OUTCOME_RULES) as IterationOutcome[]).filter((outcome) => outcome !== "lost");

const turns = fc.infiniteStream(
  fc.record({
    outcome: fc.oneof(
      { weight: 3, arbitrary: fc.constant<IterationOutcome>("verified") },
      { weight: 4, arbitrary: fc.constantFrom<IterationOutcome>("rejected", "unfinished", "gave-up", "idle") },
      { weight: 3, arbitrary: fc.constantFrom(...outcomes) },
    ),
    costUsd: fc.integer({ min: 0, max: 2 }),
    tree: fc.integer({ min: 0, max: 3 }),
  }),
);

/** Tasks of which each may need earlier ones. */
const graphs = fc.array(fc.array(fc.nat(), { maxLength: 2 }), { minLength: 1, maxLength: 8 });

async function open(graph: readonly (readonly number[])[]): Promise<Store> {
  let clock = 0;
  let ids = 0;
  const store = createMemoryStore({ clock: () => (clock += 1), newId: () => `t-${(ids += 1)}`, isAlive: () => true });
  await store.add(
    graph.map((needs, index) => ({
      id: `n${index}`,
      scope: "workspace",
      title: `n${index}`,
      needs: index === 0 ? [] : [...new Set(needs.map((need) => `n${need % index}`))],
    })),
  );
  return store;
}

async function leftIn(store: Store): Promise<WorkLeft> {
  const [counts] = await store.counts(["workspace"]);
  const { leaves, ready, blocked, retry } = counts!;
  const { parked, failed, done, dropped } = leaves;
  return { ready: ready + retry, blocked, waiting: parked, failed: failed - retry, settled: done + dropped };
}

/** Plays a run as the loop does: decide, claim, settle, count. */
async function play(store: Store, stream: Iterator<Turn>, limits: RunLimits): Promise<Played> {
  let tally = emptyTally;
  let stopped: RunEnd["brokeOff"];
  let limit: Limit | undefined;
  const claims: TaskId[] = [];
  while (stopped === undefined) {
    limit = reachedLimit(tally, limits, 0);
    if (limit === "errors") stopped = "errors";
    if (limit !== undefined) break;
    const claim = await store.claim({ scopes: ["workspace"], owner, leaseMs: 1e9 });
    if (claim === undefined) break;
    claims.push(claim.task.id);
    const { outcome, costUsd, tree } = stream.next().value as Turn;
    const { to, isAttempt, isIteration } = OUTCOME_RULES[outcome];
    const settled = await store.settle(claim.lease, { outcome, to, counted: isAttempt });
    tally = advance(tally, { about: claim.task.id, outcome, costUsd, tokens: 0, fingerprint: String(tree) });
    if (outcome === "failure" || outcome === "login") stopped = outcome;
    const isOpen = settled.kind === "settled" && settled.task.status === "pending";
    if (isOpen && isIteration && remedy(tally, claim.task.id, 3) === "park") {
      await store.change(claim.task.id, { kind: "park", question: "?" }, "loop");
      if ((await leftIn(store)).ready === 0) stopped = "stuck";
    }
  }
  const left = await leftIn(store);
  const ending = endingOf({ interrupted: false, brokeOff: stopped, left, isUnverified: false });
  return { ending, limit, stopped, claims, iterations: tally.iterations, left };
}

describe("the policy of a run, whatever its sessions come to", () => {
  const run = async (graph: readonly (readonly number[])[], stream: Iterator<Turn>, more: Partial<RunLimits> = {}) => {
    const store = await open(graph);
    const iterations = defaultIterations({ mode: "build", tasks: graph.length });
    return { store, played: await play(store, stream, { iterations, errors: 5, ...more }) };
  };

  test("P-42 it ends, within its iterations, and what is left says how", async () => {
    await fc.assert(
      fc.asyncProperty(graphs, turns, async (graph, stream) => {
        const { played } = await run(graph, stream);
        const { left, ending, limit, stopped, iterations } = played;
        expect(iterations).toBeLessThanOrEqual(defaultIterations({ mode: "build", tasks: graph.length }));
        expect(left.ready + left.blocked + left.waiting + left.failed + left.settled).toBe(graph.length);
        if (ending === "complete")
          expect(left).toEqual({ ready: 0, blocked: 0, waiting: 0, failed: 0, settled: graph.length });
        if (ending === "limit") expect([left.ready > 0, limit !== undefined, stopped]).toEqual([true, true, undefined]);
        if (ending === "blocked") expect([left.ready, left.waiting + left.blocked > 0]).toEqual([0, true]);
        if (ending === "failure" && stopped === undefined) expect([left.ready, left.failed > 0]).toEqual([0, true]);
      }),
    );
  });

  test("D-08 a limit is exact whenever there is work for it", async () => {
    await fc.assert(
      fc.asyncProperty(graphs, turns, fc.integer({ min: 1, max: 12 }), async (graph, stream, iterations) => {
        const { played } = await run(graph, stream, { iterations });
        expect(played.iterations).toBeLessThanOrEqual(iterations);
        if (played.limit === "iterations") expect(played.iterations).toBe(iterations);
      }),
    );
  });

  test("P-20 no task is tried more often than it may be, and only proof makes it done", async () => {
    await fc.assert(
      fc.asyncProperty(graphs, turns, async (graph, stream) => {
        const { store } = await run(graph, stream);
        for await (const task of store.each()) {
          const attempts = await store.attempts(task.id);
          expect(attempts.filter(({ counted }) => counted).length).toBeLessThanOrEqual(3);
          expect(attempts.filter(({ outcome }) => outcome === "verified")).toHaveLength(task.status === "done" ? 1 : 0);
        }
      }),
    );
  });

  test("nobody starves: a task that failed waits for every other that is ready, and none is passed over for good", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 6 }), turns, async (size, stream) => {
        // Without needs all are ready from the start.
        const graph = Array.from({ length: size }, () => []);
        const { played } = await run(graph, stream, { errors: 1000, iterations: 1000 });
        if (played.stopped !== undefined) return;
        expect(new Set(played.claims).size).toBe(size);
      }),
    );
    const gaveUp: Iterator<Turn> = {
      next: () => ({ done: false, value: { outcome: "gave-up", costUsd: 0, tree: 0 } }),
    };
    const { played } = await run([[], [], []], gaveUp);
    expect(played.claims).toEqual(["n0", "n1", "n2", "n0", "n0", "n1", "n1", "n2", "n2"]);
  });

  test("every way to end can be reached", async () => {
    const seen = new Set<string>();
    const note = async (
      turn: Partial<Turn>,
      more: Partial<RunLimits> = {},
      graph: number[][] = [[]],
    ): Promise<void> => {
      const always: Turn = { outcome: "verified", costUsd: 0, tree: 0, ...turn };
      const { played } = await run(graph, { next: () => ({ done: false, value: always }) }, more);
      seen.add(`${played.ending} ${played.stopped ?? played.limit ?? ""}`.trim());
    };
    await note({});
    await note({ outcome: "rejected" }, {}, [[], [0]]);
    await note({ outcome: "rejected" });
    await note({ outcome: "parked" });
    await note({ outcome: "unfinished" });
    await note({ outcome: "deferred", tree: 1 }, { iterations: 2 });
    await note({ outcome: "deferred", costUsd: 2 }, { costUsd: 3 });
    await note({ outcome: "outage" });
    await note({ outcome: "failure" });
    await note({ outcome: "login" });
    expect([...seen].sort()).toEqual([
      "blocked",
      "complete",
      "failure",
      "failure errors",
      "failure failure",
      "failure stuck",
      "limit cost",
      "limit iterations",
      "login login",
    ]);
  });
});
