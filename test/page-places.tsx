import { render } from "preact";
import type { TaskState } from "../src/domain/task-state.ts";
import { ApiError } from "../src/ui/page/client.ts";
import { GraphPlace } from "../src/ui/page/graph-place.tsx";
import type { TaskApi, TaskData } from "../src/ui/page/task-api.ts";
import { TaskPlace } from "../src/ui/page/task-place.tsx";

// The places of the page with made-up data, for page-places.test.ts.

const asked: unknown[] = [];
const listeners: (() => void)[] = [];
const texts = new Map<string, string>();
const refused = new Set<string>();

const api: TaskApi = {
  text: (path) => {
    const [name = "", query] = path.split("?");
    const from = Number(new URLSearchParams(query).get("from") ?? 1);
    if (refused.delete(name)) return Promise.reject(new ApiError(0, "The server does not answer.", ""));
    const whole = texts.get(name) ?? "";
    if (!name.endsWith("/transcript")) return Promise.resolve(whole);
    return Promise.resolve(JSON.stringify((JSON.parse(whole) as unknown[]).slice(from - 1)));
  },
  act: (verb, body) => {
    asked.push([verb, body]);
    return Reflect.get(globalThis, "acting") as Promise<boolean>;
  },
  subscribe: (_run, _iteration, onEvent) => {
    listeners.push(onEvent);
    return () => undefined;
  },
  hrefOf: (id) => `#/task/${id}`,
};

const STATES: readonly TaskState[] = ["done", "done", "ready", "blocked", "blocked", "failed", "parked", "in_progress"];

/** Tasks of which each needs some of those before; `size`: how many are parts of one parent, 0: there are no parents. */
function graph(count: number, size: number, titles: readonly string[]) {
  let seed = 7;
  const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const isParent = (at: number): boolean => size > 0 && at % size === 0;
  return Array.from({ length: count }, (_, at) => ({
    id: `t-${at}`,
    title: titles[at] ?? `Do the thing number ${at}`,
    state: isParent(at) ? ("pending" as const) : STATES[Math.floor(random() * STATES.length)]!,
    scope: "workspace",
    parent: size > 0 && !isParent(at) ? `t-${at - (at % size)}` : undefined,
    needs: isParent(at)
      ? []
      : [random(), random()]
          .map((part) => at - 1 - Math.floor(part * 25))
          .filter((need, place, all) => need >= 0 && !isParent(need) && all.indexOf(need) === place && need % 3 > 0)
          .map((need) => `t-${need}`),
  }));
}

const place = (): HTMLElement => document.querySelector("main")!;

Object.assign(globalThis, {
  acting: Promise.resolve(true),
  asked,
  texts,
  refused,
  tell: () => listeners.forEach((listener) => listener()),
  showGraph: (count: number, size = 0, titles: readonly string[] = []) =>
    render(
      <GraphPlace
        tasks={graph(count, size, titles)}
        critical={count > 4 ? ["t-1", "t-2"] : []}
        hrefOf={api.hrefOf}
        onOpen={(id) => asked.push(["open", id])}
      />,
      place(),
    ),
  leave: () => render(null, place()),
  showTask: (task: TaskData) => render(<TaskPlace task={task} others={new Map()} api={api} />, place()),
});
