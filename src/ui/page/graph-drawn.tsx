import { useMemo } from "preact/hooks";
import type { Layout } from "../../domain/graph/layout.ts";
import type { TaskId } from "../../domain/task.ts";
import { taskStates } from "../../domain/task-state.ts";
import { criticalEdges, EdgeLine, edgeWay, type GraphNode, leftOf, NODE, NodeBox, topOf } from "../parts/graph.tsx";
import { type Area, FAR_SHAPES, isIn, passes } from "./graph-view.ts";

/** What is drawn of a graph. */
export interface ShownGraph {
  readonly nodes: readonly GraphNode[];
  readonly layout: Layout;
  /** The longest chain; empty: it is not to be marked. */
  readonly critical: readonly TaskId[];
  /** What was searched for; undefined: nothing was. */
  readonly found: ReadonlySet<TaskId> | undefined;
  readonly selected: TaskId | undefined;
}

/** Drawn again only when other tasks come into sight, not with every move. */
export function DrawnGraph(props: ShownGraph & { readonly area: Area; readonly isFar: boolean }) {
  const { nodes, layout, critical, found, selected, area, isFar } = props;
  const { left, top, right, bottom } = area;
  return useMemo(
    () => (isFar ? <FromAfar {...props} /> : <FromNear {...props} />),
    [nodes, layout, critical, found, selected, isFar, ...(isFar ? [0, 0, 0, 0] : [left, top, right, bottom])],
  );
}

function FromNear({ nodes, layout, critical, found, selected, area }: ShownGraph & { readonly area: Area }) {
  const isCritical = criticalEdges(critical);
  const marked = new Set(critical);
  const extra = (id: TaskId): string =>
    [marked.has(id) && "critical", found?.has(id) === false && "dim", id === selected && "selected"]
      .filter(Boolean)
      .join(" ");
  return (
    <>
      {layout.edges
        .filter((edge) => passes(edge, layout.places, area))
        .map((edge) => (
          <EdgeLine
            key={`${edge.from} ${edge.to} ${edge.kind}`}
            edge={edge}
            places={layout.places}
            isCritical={isCritical(edge)}
          />
        ))}
      {nodes
        .filter(({ id }) => isIn(layout.places.get(id)!, area))
        .map((node) => (
          <NodeBox key={node.id} node={node} place={layout.places.get(node.id)!} extra={extra(node.id)} />
        ))}
    </>
  );
}

/** Two thousand tasks as a handful of shapes: one for all of a state. */
function FromAfar({ nodes, layout, critical, found, selected }: ShownGraph) {
  const isCritical = criticalEdges(critical);
  const ways = (isWanted: boolean): string =>
    layout.edges
      .filter((edge) => isCritical(edge) === isWanted)
      .map((edge) => edgeWay(edge, layout.places))
      .join("");
  const place = selected === undefined ? undefined : layout.places.get(selected);
  const shapes = (isFound: boolean) =>
    taskStates.map((state) => {
      const way = nodes
        .filter(({ id, ...node }) => node.state === state && (found?.has(id) ?? true) === isFound)
        .map(({ id }) => FAR_SHAPES[state](leftOf(layout.places.get(id)!), topOf(layout.places.get(id)!)))
        .join("");
      return way === "" ? null : <path key={state} class={`far state-${state}${isFound ? "" : " dim"}`} d={way} />;
    });
  return (
    <>
      <path class="far-edges" d={ways(false)} />
      {shapes(false)}
      {shapes(true)}
      <path class="critical far-edges" d={ways(true)} />
      {place !== undefined && (
        <rect class="far-selected" x={leftOf(place)} y={topOf(place)} width={NODE.width} height={NODE.height} />
      )}
    </>
  );
}
