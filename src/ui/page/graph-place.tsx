import type { ComponentChildren } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { type FoldedTask, folded } from "../../domain/graph/fold.ts";
import type { GraphTask } from "../../domain/graph/graph.ts";
import { layOut } from "../../domain/graph/layout.ts";
import { printableLine } from "../../domain/printable.ts";
import type { TaskId } from "../../domain/task.ts";
import { type TaskState, taskStates } from "../../domain/task-state.ts";
import { countsText, formatNumber, plural } from "../../format/run-text.ts";
import type { GraphNode } from "../parts/graph.tsx";
import { Mark } from "../parts/mark.tsx";
import { GraphCanvas } from "./graph-canvas.tsx";
import { GraphList } from "./graph-list.tsx";
import { takeSearch } from "./keys.ts";

/** A graph with more tasks shows parents with their parts inside. */
const MOST_UNFOLDED = 300;

export interface GraphPlaceProps {
  readonly tasks: readonly GraphTask[];
  /** The open tasks of the longest chain. */
  readonly critical: readonly TaskId[];
  readonly hrefOf: (task: TaskId) => string;
  readonly onOpen: (task: TaskId) => void;
}

/** The DAG: search, filter, and a picture or a list of what is left. */
export function GraphPlace({ tasks, critical, hrefOf, onOpen }: GraphPlaceProps) {
  const [query, setQuery] = useKept("query", "");
  const [hidden, setHidden] = useKept<ReadonlySet<TaskState>>("hidden", new Set());
  const [isMarked, setMarked] = useKept("marked", true);
  const [isList, setList] = useKept("list", false);
  const [open, setOpen] = useKept<ReadonlySet<TaskId>>("open", new Set());
  const [selected, setSelected] = useKept<TaskId | undefined>("selected", undefined);
  const wanted = useMemo(() => tasks.filter(({ state }) => !hidden.has(state)), [tasks, hidden]);
  const shown = useMemo(() => folded(wanted, (id) => wanted.length <= MOST_UNFOLDED || open.has(id)), [wanted, open]);
  const layout = useLayout(shown);
  const nodes = useMemo(() => shown.map(nodeOf), [shown]);
  const words = query.trim().toLowerCase();
  const found = useMemo(() => (words === "" ? undefined : search(wanted, words)), [wanted, words]);
  const inPicture = useMemo(() => found && placesOf(found, wanted, shown), [found, wanted, shown]);
  const marked = useMemo(
    () => (isMarked ? [...placesOf(critical, wanted, shown)] : []),
    [isMarked, critical.join(" "), wanted, shown],
  );
  const next = (): void => {
    const all = shown.filter(({ id }) => inPicture?.has(id)).map(({ id }) => id);
    setSelected(all[(all.indexOf(selected ?? "") + 1) % Math.max(1, all.length)]);
  };
  if (tasks.length === 0) return <NoTasks />;
  return (
    <>
      <SearchForm query={query} onQuery={setQuery} onNext={next}>
        <span class="faint number" role="status">
          {foundWords(wanted.length, found?.size)}
        </span>
        <StateFilter tasks={tasks} hidden={hidden} onChange={setHidden} />
        <Chip isPressed={isMarked} isOff={critical.length === 0} onPress={() => setMarked(!isMarked)}>
          Critical path{critical.length === 0 ? "" : `, ${critical.length} left`}
        </Chip>
        <Chip isPressed={isList} onPress={() => setList(!isList)}>
          As a list
        </Chip>
      </SearchForm>
      {isList ? (
        <GraphList tasks={found === undefined ? wanted : wanted.filter(({ id }) => found.has(id))} hrefOf={hrefOf} />
      ) : (
        <GraphCanvas
          nodes={nodes}
          layout={layout}
          critical={marked}
          found={inPicture}
          selected={selected}
          onSelect={setSelected}
          onOpen={(id) => {
            setSelected(id);
            onOpen(id);
          }}
          onFold={(id) => wanted.length > MOST_UNFOLDED && setOpen(toggled(open, id))}
        />
      )}
    </>
  );
}

const kept = new Map<string, unknown>();

/** A state that is there again after a look at a task. */
function useKept<Value>(name: string, first: Value): readonly [Value, (value: Value) => void] {
  const [value, setValue] = useState(kept.has(name) ? (kept.get(name) as Value) : first);
  const keep = (next: Value): void => {
    kept.set(name, next);
    setValue(() => next);
  };
  return [value, keep];
}

const foundWords = (all: number, found: number | undefined): string =>
  found === undefined
    ? plural(all, "task")
    : `${formatNumber(found)} of ${plural(all, "task")}${found > 0 ? ", Enter shows the next" : ""}`;

interface SearchProps {
  readonly query: string;
  readonly onQuery: (query: string) => void;
  /** Shows the next of what was found. */
  readonly onNext: () => void;
  readonly children: ComponentChildren;
}

const SearchForm = ({ query, onQuery, onNext, children }: SearchProps) => (
  <form
    class="graph-tools"
    role="search"
    onSubmit={(event) => {
      event.preventDefault();
      onNext();
    }}
  >
    <input
      type="search"
      aria-label="Search for a task"
      placeholder="Search for a task"
      data-search
      ref={takeSearch}
      value={query}
      onInput={({ currentTarget }) => onQuery(currentTarget.value)}
    />
    {children}
  </form>
);

interface ChipProps {
  readonly isPressed: boolean;
  readonly isOff?: boolean;
  readonly onPress: () => void;
  readonly children: ComponentChildren;
}

const Chip = ({ isPressed, isOff = false, onPress, children }: ChipProps) => (
  <button type="button" class="chip" aria-pressed={isPressed} disabled={isOff} onClick={onPress}>
    {children}
  </button>
);

const NoTasks = () => (
  <div class="empty">
    <p>There are no tasks yet.</p>
    <p class="faint">
      Add one: <code>ralphctl task add "TITLE"</code>, or let an agent plan: <code>ralphctl run plan</code>
    </p>
  </div>
);

/** Tasks change all the time, the edges between them seldom: the picture stays where it is. */
function useLayout(shown: readonly FoldedTask[]): ReturnType<typeof layOut> {
  const key = shown.map(({ id, parent, needs }) => `${id} ${parent ?? ""} ${needs.join(",")}`).join("\n");
  const kept = useRef({ key: "none", layout: layOut([]) });
  if (kept.current.key !== key) kept.current = { key, layout: layOut(shown) };
  return kept.current.layout;
}

function nodeOf({ id, title, state, inside, isOpen }: FoldedTask): GraphNode {
  if (inside === undefined) return { id, title, state, ...(isOpen && { inside: 0 }) };
  const counts = taskStates.map((each) => [each.replaceAll("_", " "), inside.states.get(each) ?? 0] as const);
  return { id, title, state, inside: inside.count, about: countsText(counts) };
}

const search = (tasks: readonly GraphTask[], words: string): ReadonlySet<TaskId> =>
  new Set(
    tasks
      .filter(({ id, title }) => id.toLowerCase().includes(words) || printableLine(title).toLowerCase().includes(words))
      .map(({ id }) => id),
  );

/** Where tasks are in the picture, in their order: themselves, or the parents that they are folded in. */
function placesOf(
  found: Iterable<TaskId>,
  all: readonly GraphTask[],
  shown: readonly GraphTask[],
): ReadonlySet<TaskId> {
  const inPicture = new Set(shown.map(({ id }) => id));
  const parents = new Map(all.map(({ id, parent }) => [id, parent]));
  const places = new Set<TaskId>();
  for (const id of found) {
    let place: TaskId | undefined = id;
    while (place !== undefined && !inPicture.has(place)) place = parents.get(place);
    if (place !== undefined) places.add(place);
  }
  return places;
}

function toggled<Item>(set: ReadonlySet<Item>, item: Item): ReadonlySet<Item> {
  const changed = new Set(set);
  if (!changed.delete(item)) changed.add(item);
  return changed;
}

interface FilterProps {
  readonly tasks: readonly GraphTask[];
  readonly hidden: ReadonlySet<TaskState>;
  readonly onChange: (hidden: ReadonlySet<TaskState>) => void;
}

/** A button for each state that there is; those that are not pressed are left out. */
function StateFilter({ tasks, hidden, onChange }: FilterProps) {
  const counts = new Map<TaskState, number>();
  for (const { state } of tasks) counts.set(state, (counts.get(state) ?? 0) + 1);
  return (
    <span class="chips" role="group" aria-label="States">
      {taskStates
        .filter((state) => counts.has(state))
        .map((state) => (
          <button
            key={state}
            type="button"
            class={`chip state-${state}`}
            aria-pressed={!hidden.has(state)}
            onClick={() => onChange(toggled(hidden, state))}
          >
            <Mark state={state} />
            {state.replaceAll("_", " ")} <span class="number">{formatNumber(counts.get(state)!)}</span>
          </button>
        ))}
    </span>
  );
}
