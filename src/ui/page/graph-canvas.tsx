import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { printableLine } from "../../domain/printable.ts";
import type { TaskId } from "../../domain/task.ts";
import type { TaskState } from "../../domain/task-state.ts";
import { FOLD, leftOf, NODE, sizeOf } from "../parts/graph.tsx";
import { DrawnGraph, type ShownGraph } from "./graph-drawn.tsx";
import { useDrag, useSize, useWheel } from "./graph-hands.ts";
import { FAR, firstView, fittingView, nextTask, seenArea, showing, taskAt, type View, zoomedAt } from "./graph-view.ts";

interface CanvasProps extends ShownGraph {
  readonly onSelect: (id: TaskId) => void;
  readonly onOpen: (id: TaskId) => void;
  /** Folds or unfolds a task with parts. */
  readonly onFold: (id: TaskId) => void;
}

const [STEP, PAN] = [1.25, 80];

/** The graph as a picture that can be moved and zoomed, by wheel, fingers, buttons and keys. */
export function GraphCanvas(props: CanvasProps) {
  const { layout, nodes } = props;
  const own = useRef<HTMLDivElement>(null);
  const box = useSize(own);
  const { now, zoom, pan, fit } = useView(props, box);
  const press = (x: number, y: number): void => {
    const at = { x: (x - now.x) / now.zoom, y: (y - now.y) / now.zoom };
    const id = taskAt(layout.places, at.x, at.y);
    if (id === undefined) return;
    const node = nodes.find((each) => each.id === id);
    if (node?.inside !== undefined && at.x > leftOf(layout.places.get(id)!) + NODE.width - FOLD) {
      props.onSelect(id);
      props.onFold(id);
    } else props.onOpen(id);
  };
  useWheel(own, zoom);
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (keyAction(event, { ...props, zoom, pan, fit })) event.preventDefault();
  };
  const drag = useDrag({ pan, zoom, press });
  const area = seenArea(now, box);
  return (
    <div class="graph-box">
      <div
        ref={own}
        class="graph-canvas"
        tabIndex={0}
        role="application"
        aria-label="The graph. Arrow keys walk from task to task, Enter opens one, Space folds, plus and minus zoom, 0 shows all. The list has the same tasks."
        onKeyDown={onKey}
        {...drag}
      >
        <svg class="graph" width="100%" height="100%" aria-hidden="true">
          <g transform={`translate(${now.x} ${now.y}) scale(${now.zoom})`}>
            <DrawnGraph {...props} area={area} isFar={now.zoom < FAR} />
          </g>
        </svg>
      </div>
      <ZoomButtons zoom={zoom} fit={fit} />
      <p class="hidden" aria-live="polite">
        {selectedWords(props)}
      </p>
    </div>
  );
}

/** What is seen, and how it is changed; a selected task comes into sight. */
function useView(props: ShownGraph, box: ReturnType<typeof useSize>) {
  const { layout, selected } = props;
  const [view, setView] = useState<View | undefined>(undefined);
  const first = useMemo(
    () => firstView(sizeOf(layout), box, layout.places.get(mattersMost(props) ?? "")),
    [layout, box],
  );
  useEffect(() => setView(undefined), [layout]);
  useEffect(() => {
    const place = selected === undefined ? undefined : layout.places.get(selected);
    if (place !== undefined && box.width > 0) setView((before) => showing(before ?? first, place, box));
  }, [selected]);
  return {
    now: view ?? first,
    zoom: (factor: number, at = { x: box.width / 2, y: box.height / 2 }): void =>
      setView((before) => zoomedAt(before ?? first, factor, at)),
    pan: (x: number, y: number): void => setView((before = first) => ({ ...before, x: before.x + x, y: before.y + y })),
    fit: (): void => setView(fittingView(sizeOf(layout), box)),
  };
}

const ZoomButtons = ({ zoom, fit }: Pick<Actions, "zoom" | "fit">) => (
  <div class="graph-zoom">
    <button type="button" aria-label="Zoom in" onClick={() => zoom(STEP)}>
      +
    </button>
    <button type="button" aria-label="Zoom out" onClick={() => zoom(1 / STEP)}>
      −
    </button>
    <button type="button" title="Show all (0)" onClick={fit}>
      All
    </button>
  </div>
);

/** What a person has chosen, where work is done now, or what has to be done next. */
function mattersMost({ nodes, critical, selected }: ShownGraph): TaskId | undefined {
  const inState = (state: TaskState): TaskId | undefined => nodes.find((node) => node.state === state)?.id;
  return selected ?? inState("in_progress") ?? critical[0] ?? inState("ready") ?? nodes[0]?.id;
}

function selectedWords({ nodes, selected, layout }: ShownGraph): string {
  const node = nodes.find(({ id }) => id === selected);
  if (node === undefined) return "";
  const needs = layout.edges.filter(({ to, kind }) => to === node.id && kind === "need").length;
  return printableLine(`${node.title}, ${node.state.replaceAll("_", " ")}, ${node.id}, needs ${needs}`);
}

interface Actions extends CanvasProps {
  readonly zoom: (factor: number) => void;
  readonly pan: (x: number, y: number) => void;
  readonly fit: () => void;
}

/** Whether the key meant something. */
function keyAction({ key, shiftKey }: KeyboardEvent, props: Actions): boolean {
  const { selected, layout, nodes, zoom, pan, fit, onSelect, onOpen, onFold } = props;
  const [right, down] = [ARROWS[key]?.[0] ?? 0, ARROWS[key]?.[1] ?? 0];
  if (key === "+" || key === "=") zoom(STEP);
  else if (key === "-") zoom(1 / STEP);
  else if (key === "0") fit();
  else if (key in ARROWS && shiftKey) pan(-right * PAN, -down * PAN);
  else if (key in ARROWS) {
    const next = selected === undefined ? nodes[0]?.id : nextTask(layout, selected, key);
    if (next !== undefined) onSelect(next);
  } else if (key === "Enter" && selected !== undefined) onOpen(selected);
  else if (key === " " && selected !== undefined) onFold(selected);
  else return false;
  return true;
}

const ARROWS: Readonly<Record<string, readonly [right: number, down: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
