import type { VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface WindowedProps {
  readonly count: number;
  /** How high an item is, about, until it has been seen. */
  readonly estimate: (index: number) => number;
  readonly item: (index: number) => VNode;
  readonly label: string;
  readonly class?: string;
  /** New items come at the end, and are followed unless one looks at others. */
  readonly isGrowing?: boolean;
  readonly onPick?: (index: number) => void;
}

/** Items this far out of sight are drawn, too. */
const MARGIN = 400;

/** U-08: a list of any length, of which only what is in sight is drawn. */
export function Windowed({ count, estimate, item, label, isGrowing = false, onPick, ...props }: WindowedProps) {
  const own = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<number, number>());
  const isAtEnd = useRef(isGrowing);
  const [{ top, room }, setSeen] = useState({ top: 0, room: 800 });
  const [, redraw] = useState(0);
  const starts = new Float64Array(count + 1);
  for (let at = 0; at < count; at += 1) starts[at + 1] = starts[at]! + (heights.current.get(at) ?? estimate(at));
  const first = indexAt(starts, top - MARGIN);
  const end = Math.min(count, indexAt(starts, top + room + MARGIN) + 1);
  useLayoutEffect(() => {
    let isOther = false;
    [...inner.current!.children].forEach((child, at) => {
      const height = child.getBoundingClientRect().height;
      if (Math.abs((heights.current.get(first + at) ?? estimate(first + at)) - height) > 0.5) isOther = true;
      heights.current.set(first + at, height);
    });
    if (isOther) redraw((before) => before + 1);
    const box = own.current!;
    if (isGrowing && isAtEnd.current) box.scrollTop = box.scrollHeight;
  });
  const look = (): void => {
    const { scrollTop, clientHeight, scrollHeight } = own.current!;
    isAtEnd.current = scrollTop + clientHeight > scrollHeight - 40;
    setSeen({ top: scrollTop, room: clientHeight });
  };
  const pick = (event: MouseEvent): void => {
    const child = [...inner.current!.children].findIndex((each) => each.contains(event.target as Node));
    if (child >= 0) onPick?.(first + child);
  };
  return (
    <div ref={own} class="windowed" tabIndex={0} role="region" aria-label={label} onScroll={look}>
      <div style={{ height: `${starts[count]}px` }}>
        <div ref={inner} class={props.class} style={{ transform: `translateY(${starts[first]}px)` }} onClick={pick}>
          {Array.from({ length: end - first }, (_, at) => item(first + at))}
        </div>
      </div>
    </div>
  );
}

/** The last item that begins at or before a height. */
function indexAt(starts: Float64Array, top: number): number {
  let [low, high] = [0, Math.max(0, starts.length - 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (starts[middle]! <= top) low = middle;
    else high = middle - 1;
  }
  return low;
}
