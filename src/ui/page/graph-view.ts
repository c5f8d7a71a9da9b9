import type { Edge, GridPlace, Layout } from "../../domain/graph/layout.ts";
import type { TaskId } from "../../domain/task.ts";
import type { TaskState } from "../../domain/task-state.ts";
import { leftOf, NODE, topOf } from "../parts/graph.tsx";

/** What part of a picture is seen: a point of the picture is at `zoom` times its place, moved by `x` and `y`. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export const [LEAST_ZOOM, MOST_ZOOM] = [0.04, 2.5];
/** Below this no word can be read: tasks are shapes. */
export const FAR = 0.5;
/** A whole picture that would be smaller is not shown as a whole. */
const LEAST_FIT = 0.1;
/** A small picture is not blown up by more. */
const MOST_FIT = 1.25;
/** Words are read with ease from this on, and with trouble below the first. */
const [HARDLY_READ, READ] = [0.6, 0.9];

const MARGIN = 16;

/** The whole picture in the middle; a very long one from its beginning. */
export function fittingView(picture: Size, box: Size): View {
  const whole = Math.min(
    (box.width - 2 * MARGIN) / picture.width,
    (box.height - 2 * MARGIN) / picture.height,
    MOST_FIT,
  );
  const zoom = Math.max(whole, LEAST_FIT);
  const start = (inBox: number, inPicture: number): number => Math.max(MARGIN, (inBox - inPicture * zoom) / 2);
  return { x: start(box.width, picture.width), y: start(box.height, picture.height), zoom };
}

/** What is seen first: the whole, if its words can be read; otherwise the part of it with the task that matters most. */
export function firstView(picture: Size, box: Size, place: GridPlace | undefined): View {
  const whole = fittingView(picture, box);
  if (whole.zoom >= HARDLY_READ || place === undefined || box.width === 0) return whole;
  const start = (at: number, [length, room, all]: readonly [number, number, number]): number => {
    const most = room - MARGIN - all * READ;
    return Math.min(MARGIN, Math.max(most, room / 2 - (at + length / 2) * READ));
  };
  return {
    x: start(leftOf(place), [NODE.width, box.width, picture.width]),
    y: start(topOf(place), [NODE.height, box.height, picture.height]),
    zoom: READ,
  };
}

/** Nearer or farther; what is at this point of the box stays there. */
export function zoomedAt(view: View, factor: number, at: { readonly x: number; readonly y: number }): View {
  const zoom = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, view.zoom * factor));
  const by = zoom / view.zoom;
  return { x: at.x - (at.x - view.x) * by, y: at.y - (at.y - view.y) * by, zoom };
}

/** The same view, moved as little as needed to show a task. */
export function showing(view: View, place: GridPlace, box: Size): View {
  const { zoom } = view;
  const moved = (start: number, at: number, [length, room]: readonly [number, number]): number => {
    const [from, to] = [start + at * zoom, start + (at + length) * zoom];
    if (from >= MARGIN && to <= room - MARGIN) return start;
    return room / 2 - (at + length / 2) * zoom;
  };
  return {
    x: moved(view.x, leftOf(place), [NODE.width, box.width]),
    y: moved(view.y, topOf(place), [NODE.height, box.height]),
    zoom,
  };
}

export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** In units of the picture; tiles are drawn as a whole, so that most moves draw nothing. */
const TILE = 600;

/** The part of the picture that is to be drawn. */
export function seenArea({ x, y, zoom }: View, box: Size): Area {
  const [down, up] = [
    (length: number) => Math.floor(length / TILE - 0.25) * TILE,
    (length: number) => Math.ceil(length / TILE + 0.25) * TILE,
  ];
  return {
    left: down(-x / zoom),
    top: down(-y / zoom),
    right: up((box.width - x) / zoom),
    bottom: up((box.height - y) / zoom),
  };
}

export const isIn = (place: GridPlace, { left, top, right, bottom }: Area): boolean =>
  leftOf(place) < right &&
  leftOf(place) + NODE.width > left &&
  topOf(place) < bottom &&
  topOf(place) + NODE.height > top;

/** Whether an edge may pass an area. */
export function passes({ from, to, through }: Edge, places: Layout["places"], area: Area): boolean {
  const all = [places.get(from)!, ...through, places.get(to)!];
  const tops = all.map(topOf);
  return (
    leftOf(all[0]!) < area.right &&
    leftOf(all.at(-1)!) + NODE.width > area.left &&
    Math.min(...tops) < area.bottom &&
    Math.max(...tops) + NODE.height > area.top
  );
}

/** The task at a point of the picture. */
export function taskAt(places: Layout["places"], x: number, y: number): TaskId | undefined {
  for (const [id, place] of places) {
    const [left, top] = [leftOf(place), topOf(place)];
    if (x >= left && x <= left + NODE.width && y >= top && y <= top + NODE.height) return id;
  }
  return undefined;
}

/** The task that a key of direction leads to. */
export function nextTask({ places, edges }: Layout, from: TaskId, key: string): TaskId | undefined {
  const own = places.get(from);
  if (own === undefined) return undefined;
  const far = (id: TaskId): number => Math.abs(places.get(id)!.row - own.row);
  const nearest = (ids: readonly TaskId[]): TaskId | undefined =>
    ids.toSorted((one, other) => far(one) - far(other)).at(0);
  const beside = (isWanted: (place: GridPlace) => boolean): TaskId | undefined =>
    nearest(Array.from(places).flatMap(([id, place]) => (id !== from && isWanted(place) ? [id] : [])));
  const [column, row] = [own.column, own.row];
  if (key === "ArrowRight") {
    const after = edges.filter((edge) => edge.from === from).map(({ to }) => to);
    return nearest(after) ?? beside((place) => place.column === column + 1);
  }
  if (key === "ArrowLeft") {
    const before = edges.filter((edge) => edge.to === from).map((edge) => edge.from);
    return nearest(before) ?? beside((place) => place.column === column - 1);
  }
  if (key === "ArrowDown") return beside((place) => place.column === column && place.row > row);
  return key === "ArrowUp" ? beside((place) => place.column === column && place.row < row) : undefined;
}

/** A task from afar: a shape for each state, as one way for all tasks of that state. */
export const FAR_SHAPES: Readonly<Record<TaskState, (x: number, y: number) => string>> = {
  done: (x, y) => box(x, y),
  failed: (x, y) => `${box(x, y)}M${x + 60} ${y}l90 ${NODE.height}m0 -${NODE.height}l-90 ${NODE.height}`,
  parked: (x, y) => `M${x} ${y + NODE.height}l${NODE.width / 2} -${NODE.height}l${NODE.width / 2} ${NODE.height}z`,
  in_progress: (x, y) => `${box(x, y)}M${x} ${y}h${NODE.width / 2}v${NODE.height}h-${NODE.width / 2}z`,
  ready: (x, y) => box(x, y),
  blocked: (x, y) => `${box(x, y)}M${x + 40} ${y + NODE.height / 2}h${NODE.width - 80}`,
  pending: (x, y) => box(x, y),
  dropped: (x, y) => `M${x} ${y}l${NODE.width} ${NODE.height}M${x} ${y + NODE.height}l${NODE.width} -${NODE.height}`,
};

const box = (x: number, y: number): string => `M${x} ${y}h${NODE.width}v${NODE.height}h-${NODE.width}z`;
