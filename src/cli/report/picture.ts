import type { GraphTask, TaskGraph } from "../../domain/graph/graph.ts";
import { type Edge, layOut, type GridPlace } from "../../domain/graph/layout.ts";
import type { TaskId } from "../../domain/task.ts";
import { shortened } from "../format/run-words.ts";
import { escaped } from "./html.ts";
import { stateTone } from "./words.ts";

const [WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN] = [200, 40, 56, 14, 6];
const TITLE = 27;

/** A picture of more is one that nobody can read. */
const MOST_TASKS = 150;

/** The DAG as SVG; of a large one those parts that the run was about, with what they need and what needs them. */
export function graphPicture(
  { tasks }: TaskGraph,
  about: ReadonlySet<TaskId>,
): { readonly svg: string; readonly more: number } {
  const shown = tasks.length <= MOST_TASKS ? tasks : nearest(tasks, about).slice(0, MOST_TASKS);
  const { places, columns, rows, edges } = layOut(shown);
  const [width, height] = [
    columns * (WIDTH + GAP_X) - GAP_X + 2 * MARGIN,
    rows * (HEIGHT + GAP_Y) - GAP_Y + 2 * MARGIN,
  ];
  const svg = [
    `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="The tasks and what they need">`,
    ...edges.map((edge) => arrow(edge, places)),
    ...shown.map((task) => node(task, places.get(task.id)!)),
    "</svg>",
  ];
  return { svg: svg.join("\n"), more: tasks.length - shown.length };
}

/** Tasks of the run first, then their neighbours, each in their order. */
function nearest(tasks: readonly GraphTask[], about: ReadonlySet<TaskId>): GraphTask[] {
  const needed = new Set(tasks.filter(({ id }) => about.has(id)).flatMap(({ needs }) => needs));
  const rank = ({ id, needs }: GraphTask): number =>
    about.has(id) ? 0 : needed.has(id) || needs.some((need) => about.has(need)) ? 1 : 2;
  return tasks.toSorted((one, other) => rank(one) - rank(other)).filter((task) => rank(task) < 2 || about.size === 0);
}

const left = ({ column }: GridPlace): number => MARGIN + column * (WIDTH + GAP_X);
const middle = ({ row }: GridPlace): number => MARGIN + row * (HEIGHT + GAP_Y) + HEIGHT / 2;

function arrow({ from, to, kind }: Edge, places: ReadonlyMap<TaskId, GridPlace>): string {
  const [start, end] = [places.get(from)!, places.get(to)!];
  const [x1, y1, x2, y2] = [left(start) + WIDTH, middle(start), left(end), middle(end)];
  const bend = (x1 + x2) / 2;
  return `<path class="${kind}" d="M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}"/>`;
}

function node({ id, title, state }: GraphTask, place: GridPlace): string {
  const [x, y] = [left(place), middle(place)];
  return (
    `<g><title>${escaped(`${id} · ${state} · ${title}`)}</title>` +
    `<rect class="node ${stateTone(state)}" x="${x}" y="${y - HEIGHT / 2}" width="${WIDTH}" height="${HEIGHT}" rx="5"/>` +
    `<text x="${x + 8}" y="${y - 3}">${escaped(shortened(title, TITLE))}</text>` +
    `<text x="${x + 8}" y="${y + 13}" opacity=".65">${escaped(`${id} · ${state}`)}</text></g>`
  );
}
