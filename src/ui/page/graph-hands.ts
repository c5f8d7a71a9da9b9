import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** The size of an element, as it changes. */
export function useSize(own: { readonly current: HTMLElement | null }): {
  readonly width: number;
  readonly height: number;
} {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = own.current!;
    const measure = (): void => setSize({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return size;
}

type Zoom = (factor: number, at: { readonly x: number; readonly y: number }) => void;

/** A listener of our own: the browser must be told before that the page will not scroll. */
export function useWheel(own: { readonly current: HTMLElement | null }, zoom: Zoom): void {
  const latest = useRef(zoom);
  latest.current = zoom;
  useEffect(() => {
    const element = own.current!;
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      const lines = event.deltaMode === 1 ? 33 : 1;
      latest.current(Math.exp(-event.deltaY * lines * 0.0015), { x: event.clientX - left, y: event.clientY - top });
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, []);
}

interface Drag {
  readonly pan: (x: number, y: number) => void;
  readonly zoom: Zoom;
  readonly press: (x: number, y: number) => void;
}

/** A finger or the mouse moves the picture, two fingers zoom it, and what hardly moved was a press. */
export function useDrag({ pan, zoom, press }: Drag) {
  const held = useRef(new Map<number, { x: number; y: number; moved: number }>());
  const at = (event: PointerEvent): { x: number; y: number } => {
    const { left, top } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  return {
    onPointerDown: (event: PointerEvent): void => {
      if (event.button !== 0) return;
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      held.current.set(event.pointerId, { ...at(event), moved: 0 });
    },
    onPointerMove: (event: PointerEvent): void => {
      const before = held.current.get(event.pointerId);
      if (before === undefined) return;
      const now = at(event);
      const [x, y] = [now.x - before.x, now.y - before.y];
      const other = [...held.current].find(([id]) => id !== event.pointerId)?.[1];
      if (other !== undefined) {
        const apart = (point: { x: number; y: number }): number => Math.hypot(point.x - other.x, point.y - other.y);
        zoom(apart(now) / Math.max(1, apart(before)), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
        other.moved = Infinity;
      } else if (before.moved > CLICK) pan(x, y);
      held.current.set(event.pointerId, { ...now, moved: before.moved + Math.hypot(x, y) });
    },
    onPointerUp: (event: PointerEvent): void => {
      const before = held.current.get(event.pointerId);
      held.current.delete(event.pointerId);
      if (before !== undefined && before.moved <= CLICK) press(before.x, before.y);
    },
    onPointerCancel: (event: PointerEvent): void => void held.current.delete(event.pointerId),
  };
}

const CLICK = 5;
