import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { createMemoryStore } from "../../test/memory-store/memory-store.ts";
import type { Store } from "../store/store.ts";
import { followPlan } from "./follow-plan.ts";
import { markPlan } from "./mark-plan.ts";
import { byLane } from "../../test/lane.ts";

// A person edits a plan in every way while tasks are worked on. A small model says what must come of it.

const FILE = "IMPLEMENTATION_PLAN.md";
const ME = { host: "here", pid: 1, startTime: "1" };

/** Titles that nobody would take for one another; some carry an id. */
const TITLES = [
  "Login form",
  "Database schema",
  "T003 Send mail",
  "Zebra crossing",
  "[K9] Quick fox",
  "Metrics",
  "1.2 Numbered work",
  "Über-Öffnung",
];

interface Step {
  readonly kind:
    | "follow"
    | "delete"
    | "insert"
    | "move"
    | "describe"
    | "claim"
    | "settle"
    | "mark"
    | "tick"
    | "agent-tick"
    | "noise";
  readonly a: number;
  readonly b: number;
}

const steps = fc.array(
  fc.record<Step>({
    kind: fc.constantFrom(
      "follow",
      "delete",
      "delete",
      "insert",
      "insert",
      "move",
      "describe",
      "claim",
      "settle",
      "mark",
      "tick",
      "agent-tick",
      "noise",
    ),
    a: fc.nat(20),
    b: fc.nat(20),
  }),
  { minLength: 3, maxLength: 40 },
);

interface Line {
  readonly title: number;
  mark: string;
  description: string;
}

interface Model {
  lines: Line[];
  noise: string;
  readonly ids: Map<number, string>;
  /** As P-51 says they must be. */
  readonly states: Map<number, State>;
  /** The mark that was last followed or written. */
  readonly seen: Map<number, string>;
}

type State = "pending" | "in_progress" | "done" | "dropped";

const END = ["\n", "\r\n"];

const textOf = ({ lines, noise }: Model, end: string): string =>
  [
    `\uFEFF${noise}`,
    ...lines.flatMap(({ title, mark, description }) => [
      `* [${mark}]  ${TITLES[title]} `,
      ...(description ? [`   ${description}`] : []),
    ]),
    "",
  ].join(end);

const withoutMarks = (text: string): string => text.replaceAll(/^(\* \[)./gm, "$1?");

test(
  "P-50 P-51 P-52 random edits, reorderings, deletions and re-insertions keep identities and states; bytes outside marks stay",
  { timeout: 120_000 },
  async () => {
    const root = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(...END), async (list, end) => {
        let number = 0;
        const newId = (): string => `t-${++number}`;
        const store = createMemoryStore({ clock: () => 1000, newId, isAlive: () => true });
        const model: Model = { lines: [], noise: "", ids: new Map(), states: new Map(), seen: new Map() };
        for (const step of [...list, { kind: "follow", a: 0, b: 0 } as const]) {
          await take(step, { store, model, root, end, newId });
        }
      }),
      { numRuns: byLane(80, 300) },
    );
  },
);

interface Scene {
  readonly store: Store;
  readonly model: Model;
  readonly root: string;
  readonly end: string;
  readonly newId: () => string;
}

async function take({ kind, a, b }: Step, scene: Scene): Promise<void> {
  const { model, store, root } = scene;
  const { lines } = model;
  const at = a % Math.max(1, lines.length);
  const line = lines[at];
  const id = line && model.ids.get(line.title);
  if (kind === "delete") lines.splice(at, 1);
  if (kind === "insert") {
    const title = a % TITLES.length;
    if (!lines.some((other) => other.title === title))
      lines.splice(b % (lines.length + 1), 0, { title, mark: " ", description: "" });
  }
  if (kind === "move") lines.splice(b % (lines.length + 1), 0, ...lines.splice(at, 1));
  if (kind === "describe" && line) line.description = `about ${b}`;
  if (kind === "noise") model.noise = `prose ${b}`;
  if (kind === "claim" && id && (await store.claim({ only: [id], owner: ME, leaseMs: 9e9 })))
    model.states.set(line.title, "in_progress");
  if (kind === "settle") {
    const [title] = [...model.states].find(([, state]) => state === "in_progress") ?? [];
    if (title === undefined) return;
    const lease = {
      task: model.ids.get(title)!,
      fence: (await store.get(model.ids.get(title)!))!.lease!.fence,
      owner: ME,
    };
    await store.settle(lease, { outcome: "verified", to: "done", counted: true });
    model.states.set(title, "done");
  }
  if (kind === "follow" || kind === "tick" || kind === "agent-tick")
    await follow(scene, kind === "follow" ? undefined : { line, kind });
  if (kind === "mark") {
    await follow(scene, undefined);
    const before = readFileSync(join(root, FILE), "utf8");
    await markPlan({ store, root, file: FILE });
    const after = readFileSync(join(root, FILE), "utf8");
    expect(withoutMarks(after)).toBe(withoutMarks(before));
    for (const one of lines) {
      if (one.mark !== model.seen.get(one.title)) continue;
      one.mark = markOf(model.states.get(one.title)!);
      model.seen.set(one.title, one.mark);
    }
    expect(after).toBe(textOf(model, scene.end));
  }
}

async function follow(scene: Scene, tick: { line: Line | undefined; kind: string } | undefined): Promise<void> {
  const { model, store, root, end, newId } = scene;
  const isAgent = tick?.kind === "agent-tick";
  if (tick?.line) tick.line.mark = tick.line.mark === " " ? "x" : " ";
  writeFileSync(join(root, FILE), textOf(model, end));
  const result = await followPlan({
    store,
    root,
    file: FILE,
    scope: "workspace",
    editor: isAgent ? "agent" : "person",
    newId,
  });
  if (result.kind !== "followed") throw new Error(JSON.stringify(result));
  expectStates(model, isAgent);
  const after = readFileSync(join(root, FILE), "utf8");
  expect(after).toBe(textOf(model, end));
  for (const { title } of result.added.toReversed()) {
    const at = TITLES.findIndex((whole) => whole.endsWith(title));
    model.ids.set(at, result.added.find((task) => task.title === title)!.id);
  }
  const tasks = (await store.list()).tasks;
  const shown = Object.fromEntries(tasks.map((task) => [task.id, [task.title, task.status]]));
  const wanted = [...model.ids].map(([title, id]) => [
    id,
    [TITLES[title]!.replace(/^(?:T003|\[K9\]|1\.2) /, ""), model.states.get(title)],
  ]);
  expect(shown).toEqual(Object.fromEntries(wanted));
  for (const { title, description } of model.lines)
    expect((await store.get(model.ids.get(title)!))!.description).toBe(description);
}

/** What P-51 and P-52 say must come of the file as it is now. */
function expectStates({ lines, states, ids, seen }: Model, isAgent: boolean): void {
  const here = new Set(lines.map(({ title }) => title));
  for (const title of ids.keys()) {
    if (here.has(title)) continue;
    if (states.get(title) === "pending") states.set(title, "dropped");
    seen.delete(title);
  }
  for (const line of lines) {
    const isNew = !states.has(line.title);
    const before = seen.get(line.title) ?? " ";
    if (isNew || states.get(line.title) === "dropped") states.set(line.title, "pending");
    const right = markOf(states.get(line.title)!);
    const counts = line.mark !== before && line.mark !== right && !isAgent;
    if (counts && states.get(line.title) !== "in_progress")
      states.set(line.title, line.mark === "x" ? "done" : "pending");
    if (line.mark !== before && line.mark !== right && isAgent) line.mark = right;
    const waits = counts && states.get(line.title) === "in_progress";
    seen.set(line.title, waits ? before : line.mark);
  }
}

const markOf = (state: State): string => (state === "done" ? "x" : " ");
