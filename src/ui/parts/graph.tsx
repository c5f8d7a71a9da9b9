import type { Edge, GridPlace, Layout } from "../../domain/graph/layout.ts";
import { printableLine } from "../../domain/printable.ts";
import type { TaskId } from "../../domain/task.ts";
import type { TaskState } from "../../domain/task-state.ts";
import { fitting } from "./fitting.ts";
import { Mark } from "./mark.tsx";

/** Sizes of a picture, in its own units. */
export const NODE = { width: 210, height: 42 };
const [GAP_X, GAP_Y, MARGIN, PADDING, MARK, TURN] = [52, 14, 14, 8, 14, 18];

export const leftOf = ({ column }: GridPlace): number => MARGIN + column * (NODE.width + GAP_X);
export const topOf = ({ row }: GridPlace): number => rounded(MARGIN + row * (NODE.height + GAP_Y));
const middleOf = (place: GridPlace): number => topOf(place) + NODE.height / 2;
const rounded = (length: number): number => Math.round(length * 10) / 10;

export const sizeOf = ({ columns, rows }: Layout): { readonly width: number; readonly height: number } => ({
  width: Math.max(1, columns * (NODE.width + GAP_X) - GAP_X + 2 * MARGIN),
  height: Math.max(1, rounded(rows * (NODE.height + GAP_Y) - GAP_Y + 2 * MARGIN)),
});

/** A task of a picture. */
export interface GraphNode {
  readonly id: TaskId;
  readonly title: string;
  readonly state: TaskState;
  /** Said after its id and state: what is folded in it. */
  readonly about?: string;
  /** How many tasks are folded in it; 0: it has parts, and they are shown. */
  readonly inside?: number;
}

/** The way of an edge: from the right of its start, between the tasks of the columns that it passes, to the left of its end. */
export function edgeWay({ from, to, through }: Edge, places: ReadonlyMap<TaskId, GridPlace>): string {
  const [start, end] = [places.get(from)!, places.get(to)!];
  let way = `M${leftOf(start) + NODE.width} ${middleOf(start)}`;
  let [x, y] = [leftOf(start) + NODE.width, middleOf(start)];
  const bendTo = (nextX: number, nextY: number): void => {
    const [bend, between] = [rounded((x + nextX) / 2), rounded((y + nextY) / 2)];
    // Back to the beginning of the next line, between the lines.
    if (nextX < x) {
      const [out, back] = [x + TURN, nextX - TURN];
      way += `C${out} ${y} ${out} ${between} ${x} ${between}H${nextX}C${back} ${between} ${back} ${nextY} ${nextX} ${nextY}`;
    } else way += `C${bend} ${y} ${bend} ${nextY} ${nextX} ${nextY}`;
    [x, y] = [nextX, nextY];
  };
  for (const point of through) {
    bendTo(leftOf(point), middleOf(point));
    x = leftOf(point) + NODE.width;
    way += `H${x}`;
  }
  bendTo(leftOf(end), middleOf(end));
  return way;
}

export const EdgeLine = ({
  edge,
  places,
  isCritical,
}: {
  edge: Edge;
  places: Layout["places"];
  isCritical: boolean;
}) => <path class={`${edge.kind}${isCritical ? " critical" : ""}`} d={edgeWay(edge, places)} />;

const TEXT = NODE.width - 2 * PADDING - MARK - 6;
/** At the right of a task with parts, where they are folded and unfolded. */
export const FOLD = 38;

/** What is written from right to left is cut at its left. A picture knows no `bdi`, so these are its signs. */
const inItsDirection = (text: string): string =>
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(text) ? `\u2068${text}\u2069` : text;

/** A task in its place. */
export function NodeBox({ node, place, extra = "" }: { node: GraphNode; place: GridPlace; extra?: string }) {
  const [x, y] = [leftOf(place), topOf(place)];
  const title = printableLine(node.title);
  const about = [printableLine(node.id), node.about ?? node.state.replaceAll("_", " ")].join(" · ");
  const room = node.inside === undefined ? TEXT : TEXT - FOLD + PADDING;
  return (
    <g class={`state-${node.state}${extra === "" ? "" : ` ${extra}`}`}>
      <title>{`${about} · ${title}`}</title>
      {node.inside !== undefined && node.inside > 0 && (
        <rect class="stack" x={x + 4} y={y + 4} width={NODE.width} height={NODE.height} rx="5" />
      )}
      <rect class="node" x={x} y={y} width={NODE.width} height={NODE.height} rx="5" />
      <Mark state={node.state} x={x + PADDING} y={y + (NODE.height - MARK) / 2} width={MARK} height={MARK} />
      <svg x={x + PADDING + MARK + 6} y={y} width={room} height={NODE.height} overflow="hidden">
        <text y="18">{inItsDirection(fitting(title, room))}</text>
        <text class="about" y="34">
          {fitting(about, room, 11)}
        </text>
      </svg>
      {node.inside !== undefined && (
        <>
          <rect class="fold" x={x + NODE.width - FOLD} y={y} width={FOLD} height={NODE.height} rx="5" />
          <text class="about" x={x + NODE.width - FOLD / 2} y={y + NODE.height / 2 + 4} text-anchor="middle">
            {node.inside > 0 ? `+${node.inside}` : "−"}
          </text>
        </>
      )}
    </g>
  );
}

/** Whether an edge is between two tasks of the longest chain that follow each other. */
export function criticalEdges(critical: readonly TaskId[]): (edge: Edge) => boolean {
  const next = new Map(critical.map((id, at) => [id, critical[at + 1]]));
  return ({ from, to }) => next.get(from) === to;
}

/** A whole graph as one picture. */
export function GraphPicture({
  nodes,
  layout,
  critical = [],
}: {
  nodes: readonly GraphNode[];
  layout: Layout;
  critical?: readonly TaskId[];
}) {
  const { width, height } = sizeOf(layout);
  const isCritical = criticalEdges(critical);
  return (
    <svg
      class="graph"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label="The tasks and what they need"
    >
      {layout.edges.map((edge) => (
        <EdgeLine edge={edge} places={layout.places} isCritical={isCritical(edge)} />
      ))}
      {nodes.map((node) => (
        <NodeBox node={node} place={layout.places.get(node.id)!} extra={critical.includes(node.id) ? "critical" : ""} />
      ))}
    </svg>
  );
}
