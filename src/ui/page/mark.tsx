/** A state as colour and shape, for those who see no colours; the word stands beside it. */
export type MarkKind = "done" | "failed" | "asks" | "look" | "working" | "waiting" | "idle";

const SHAPES: Readonly<Record<MarkKind, readonly [tone: string, path: string]>> = {
  done: ["good", "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Zm-1.2 10L3.7 7.9l1.2-1.2 1.9 1.9 4.2-4.4 1.2 1.2z"],
  failed: [
    "bad",
    "M1 1h14v14H1Zm3.2 4.3L6.8 8l-2.6 2.7 1.1 1.1L8 9.1l2.7 2.7 1.1-1.1L9.2 8l2.6-2.7-1.1-1.1L8 6.9 5.3 4.2z",
  ],
  asks: ["warn", "M8 .8 15.6 15H.4Zm-.9 5.4.2 4.2h1.4l.2-4.2zm.1 5.2V13h1.6v-1.6z"],
  look: ["warn", "M8 .5 15.5 8 8 15.5.5 8Zm0 5.2A2.3 2.3 0 1 0 8 10.3a2.3 2.3 0 0 0 0-4.6z"],
  working: ["accent", "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Zm0 2.2v9.6a4.8 4.8 0 0 1 0-9.6z"],
  waiting: ["idle", "M2.5 1h11v3L9.7 8l3.8 4v3h-11v-3l3.8-4-3.8-4z"],
  idle: ["idle", "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Zm0 2a5 5 0 1 1 0 10A5 5 0 0 1 8 3z"],
};

export function Mark({ kind }: { readonly kind: MarkKind }) {
  const [tone, path] = SHAPES[kind];
  return (
    <svg class={`sign ${tone}`} viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path fill-rule="evenodd" d={path} />
    </svg>
  );
}
