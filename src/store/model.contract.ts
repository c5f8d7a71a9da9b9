import fc from "fast-check";
import { expect } from "vitest";
import { RalphError } from "../domain/error.ts";
import type { Owner } from "../domain/task.ts";
import { createMemoryStore } from "../../test/memory-store/memory-store.ts";
import { type CheckedStore, collect, newTask } from "./store.contract.ts";
import type { Lease, Store } from "./store.ts";

// Random operations on a store and on the memory store, which works everything out from its definition. After each one
// both must show the same, and the store must find nothing wrong with itself.

interface Step {
  readonly kind: (typeof KINDS)[number];
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

const KINDS = [
  "add",
  "add",
  "batch",
  "claim",
  "claim",
  "claim",
  "settle",
  "settle",
  "settle",
  "need",
  "need",
  "unneed",
  "move",
  "drop",
  "reset",
  "fail",
  "park",
  "answer",
  "complete",
  "remove",
  "release",
  "heartbeat",
  "verdict",
  "adopt",
  "tick",
  "jump-back",
  "kill",
  "reopen",
  "crash",
  "edit",
  "merge",
  "apply",
] as const satisfies readonly string[];

// Without bias: small numbers and short lists are what finds bugs in parsers; here they would leave the graph empty.
const number = fc.noBias(fc.nat(997));
const steps = fc.noBias(
  fc.array(fc.record<Step>({ kind: fc.constantFrom(...KINDS), a: number, b: number, c: number }), {
    minLength: 30,
    maxLength: 70,
    size: "max",
  }),
);

/** What is there at the start: each may be beneath an earlier one and need two others. */
const seeds = fc.noBias(fc.array(fc.tuple(number, number, number), { minLength: 14, maxLength: 18, size: "max" }));

interface World {
  now: number;
  readonly dead: Set<string>;
  readonly starts: number[];
  readonly leases: Lease[];
  readonly ids: string[];
  added: number;
}

/** What the model decides for the store. */
export interface ModelWorld {
  /** How many runs there were before. */
  readonly run: number;
  readonly clock: () => number;
  readonly isAlive: (owner: Owner) => boolean | undefined;
  /** The process that opens the store: after a crash it is another one. */
  readonly owner: () => Owner;
}

/** Opens the store of this run, also again; `remove` is called when it is over. */
interface ModelledStore {
  readonly open: () => Promise<CheckedStore>;
  readonly remove?: () => void;
}

/** Random operations on a store and on the memory store. */
export async function modelContract(make: (world: ModelWorld) => ModelledStore, runs: number): Promise<void> {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(seeds, steps, async (seed, list) => {
      const world: World = { now: 1e9, dead: new Set(), starts: [0, 0, 0, 0], leases: [], ids: [], added: 0 };
      const isAlive = ({ host, pid, startTime }: Owner): boolean | undefined =>
        host === "here" ? !world.dead.has(`${pid}:${startTime}`) : undefined;
      const clock = (): number => world.now;
      const made = make({ run: ++run, clock, isAlive, owner: () => ownerOf(world, 0) });
      const model = createMemoryStore({ clock, newId: () => "t-0", isAlive });
      let store = await made.open();
      const take = async (step: Step): Promise<void> => {
        if (step.kind === "reopen") await store.close();
        if (step.kind === "crash") kill(world, 0); // what it left behind stays there
        if (step.kind === "reopen" || step.kind === "crash") store = await made.open();
        else await compareStep(store, model, { step, world });
        await compareState(store, model);
      };
      try {
        await plant(store, model, { seed, world });
        await compareState(store, model);
        for (const step of list) await take(step);
        await compareHistory(store, model);
      } finally {
        await store.close();
        made.remove?.();
      }
    }),
    { numRuns: Number(process.env["RALPH_RUNS"] ?? runs), endOnFailure: true },
  );
}

/** Edges that would close a cycle are refused by both: what is left is as dense as a graph can be. */
async function plant(
  store: Store,
  model: Store,
  { seed, world }: { seed: readonly (readonly [number, number, number])[]; world: World },
): Promise<void> {
  for (const [n, [above]] of seed.entries()) {
    const parent = n > 0 && above % 3 !== 0 ? { parent: `k${above % n}` } : {};
    for (const one of [store, model]) await one.add([newTask(`k${n}`, { priority: above % 2, ...parent })]);
    world.ids.push(`k${world.added++}`);
  }
  for (const [n, [, b, c]] of seed.entries()) {
    for (const other of [b, c]) {
      const step: Step = { kind: "need", a: n, b: other, c: 0 };
      if (other % 2 === 0) await compareStep(store, model, { step, world });
    }
  }
}

const ownerOf = (world: World, pid: number): Owner => ({
  host: pid === 3 ? "there" : "here",
  pid,
  startTime: String(world.starts[pid]),
});

function kill(world: World, pid: number): void {
  world.dead.add(`${pid}:${world.starts[pid]}`);
  world.starts[pid]! += 1;
}

async function compareStep(store: Store, model: Store, { step, world }: { step: Step; world: World }): Promise<void> {
  const act = actionOf(step, world);
  if (act === undefined) return;
  const [real, wanted] = [await outcomeOf(act, store), await outcomeOf(act, model)];
  expect({ step, ...real }).toEqual({ step, ...wanted });
  if (step.kind === "merge" || step.kind === "apply")
    world.ids.splice(0, Infinity, ...(await model.list()).tasks.map(({ id }) => id));
  if (step.kind === "add" || step.kind === "batch") world.ids.push(...((real.value ?? []) as string[]));
  const claimed = (real.value as { lease?: Lease } | undefined)?.lease;
  if (step.kind === "claim" && claimed) world.leases.push(claimed);
  if (step.kind === "adopt" && real.value) world.leases.push(real.value as Lease);
}

async function outcomeOf(
  act: (store: Store) => Promise<unknown>,
  store: Store,
): Promise<{ value?: unknown; error?: unknown }> {
  try {
    return { value: await act(store) };
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    // Which of several faults is named first is the store's affair.
    return {
      error: [error.kind, error.message.replace(/^(?:One of|These) .* other: .*|.*which does not exist/, "fault")],
    };
  }
}

const GATES = [{ id: "g", run: "true", retries: 0 }];

function actionOf({ kind, a, b, c }: Step, world: World): ((store: Store) => Promise<unknown>) | undefined {
  const id = (number: number): string => world.ids[number % Math.max(1, world.ids.length)] ?? "nobody";
  const lease = world.leases[a % Math.max(1, world.leases.length)];
  const scope = ["workspace", "project/x", "change/1"][c % 3]!;
  const task = (n: number, near?: string): ReturnType<typeof newTask> =>
    newTask(`k${world.added++}`, {
      scope,
      priority: b % 3,
      ...(n % 3 === 0 && (near ?? world.ids[0]) && { parent: n % 2 === 0 ? (near ?? id(b)) : id(b) }),
      ...(n % 4 === 0 && world.ids[0] && { needs: [id(n), ...(c % 2 === 0 ? [near ?? id(c)] : [])] }),
      ...(n % 7 === 6 && { status: "done" as const }),
      ...(n % 5 < 2 && { gates: GATES }),
      ...(n % 11 === 3 && { keepsWork: true }),
    });
  switch (kind) {
    case "add": {
      const one = [task(a)];
      return (store) => store.add(one);
    }
    case "batch": {
      const next = (offset: number): string => `k${world.added + offset}`;
      const many = [task(a, next(1)), task(a + 1, next(-1)), task(b, next(c % 2 === 0 ? 1 : -2)), task(c, next(-2))];
      return (store) => store.add(c % 2 === 0 ? many : [...many].reverse());
    }
    case "claim": {
      const filter = b % 3 === 0 ? { scopes: [scope] } : b % 7 === 0 ? { only: [id(c)], anyway: a % 2 === 0 } : {};
      return (store) => store.claim({ ...filter, owner: ownerOf(world, a % 4), leaseMs: 1000, run: "r", iteration: b });
    }
    case "settle": {
      const to = (["done", "done", "pending", "failed", "parked"] as const)[b % 5]!;
      const settlement = {
        outcome: `to ${to}`,
        to,
        counted: c % 2 === 0,
        reason: "r",
        question: "q",
        summary: `s${c}`,
      };
      return lease && ((store) => store.settle(lease, settlement));
    }
    case "release":
      return lease && ((store) => store.release(lease));
    case "heartbeat":
      return lease && ((store) => store.heartbeat(lease));
    case "verdict":
      return lease && ((store) => store.recordVerdict(lease, { tree: `t${b}`, evidence: [c] }));
    case "adopt":
      return lease && ((store) => store.adopt(lease, ownerOf(world, b % 4)));
    case "need":
      return (store) => store.addDependency(id(a), id(b));
    case "unneed":
      return async (store) => {
        const needs = (await store.get(id(a)))?.needs ?? [];
        await store.removeDependency(id(a), needs[b % Math.max(1, needs.length)] ?? id(b));
      };
    case "move":
      return (store) => store.update(id(a), { parent: c % 5 === 0 ? null : id(b) }, "plan");
    case "edit":
      return (store) => {
        const own = {
          ...(b % 3 === 0 && { gates: c % 2 === 0 ? GATES : [] }),
          ...(b % 5 === 0 && { keepsWork: c % 3 === 0 }),
        };
        return store.update(id(a), { priority: b % 4, attemptLimit: c % 4 || null, scope, ...own }, "person");
      };
    case "remove":
      return (store) => store.remove(id(a));
    case "drop":
    case "reset":
    case "complete":
      return (store) => store.change(id(a), { kind }, b % 4 === 0 ? "plan" : "person");
    case "fail":
      return (store) => store.change(id(a), { kind, reason: "no" }, "person");
    case "park":
      return (store) => store.change(id(a), { kind, question: "why" }, "person");
    case "answer":
      return (store) => store.change(id(a), { kind, answer: "so" }, "person");
    case "merge": {
      const old = { ...task(a), id: id(b), updatedAt: world.now + (c % 3) - 1, needs: [id(c), `k${world.added}`] };
      const lines = c % 2 === 0 ? [old, task(b)] : [task(b, id(b)), { ...old, parent: id(a), needs: [] }];
      return (store) => store.addStream(streamOf(lines), { onExisting: "newer" });
    }
    case "apply": {
      const fresh = task(c);
      const update = [
        { id: id(a), patch: { parent: b % 3 === 0 ? null : id(b), priority: c % 3 }, needs: [id(c)] },
        { id: id(b), patch: { parent: a % 2 === 0 ? fresh.id! : id(a) } },
      ];
      const when = (["pending", "dropped", "done"] as const)[c % 3]!;
      const change = [{ id: id(a), when, change: { kind: "drop" }, by: "person" }] as const;
      const reset = [{ id: id(c), when, change: { kind: "reset" }, by: "person" }] as const;
      const edits = {
        add: [fresh],
        update,
        change: when === "pending" ? change : reset,
        meta: [{ key: "m", value: a }],
      };
      return async (store) => [await store.apply(edits, "plan"), await store.getMeta("m")];
    }
    case "tick":
      world.now += a * 50;
      return undefined;
    case "jump-back":
      world.now -= 3_600_000;
      return undefined;
    case "kill":
      kill(world, a % 3);
      return undefined;
    case "reopen":
    case "crash":
    default:
      return undefined;
  }
}

async function idsOf(tasks: AsyncIterable<{ readonly id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of tasks) ids.push(id);
  return ids;
}

async function* streamOf<Item>(items: readonly Item[]): AsyncIterable<readonly Item[]> {
  for (const item of items) yield [item];
}

async function compareState(store: CheckedStore, model: CheckedStore): Promise<void> {
  const view = async (one: CheckedStore): Promise<unknown> => ({
    tasks: (await one.list()).tasks,
    byId: await idsOf(one.each({}, "id")),
    ready: (await one.ready()).map((task) => task.id),
    tree: (await one.tree()).map(({ depth, task }) => `${depth} ${task.id}`),
    counts: await one.counts(),
    verdicts: await one.openVerdicts(),
    done: await collect(one.done()),
    // Whoever waits for several is told one of them.
    problems: (await one.check()).map(({ kind, task }) => `${kind} ${task}`).sort(),
  });
  expect(await view(store)).toEqual(await view(model));
}

async function compareHistory(store: Store, model: Store): Promise<void> {
  for (const { id } of (await model.list()).tasks) {
    expect(await store.attempts(id)).toEqual(await model.attempts(id));
    expect(await store.log(id)).toEqual(await model.log(id));
  }
}
