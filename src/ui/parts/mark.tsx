import type { VNode } from "preact";
import type { TaskState } from "../../domain/task-state.ts";
import type { Tone } from "./tone.ts";

/** What has a mark: the states of tasks, and beside them what a person should look at, and what waits for its turn. */
export type MarkState = TaskState | "look" | "waiting";

/** The shape of each state: none is told by its colour alone. */
const SHAPES: Readonly<Record<MarkState, VNode>> = {
  done: (
    <>
      <circle class="full" cx="8" cy="8" r="7" />
      <polyline class="cut" points="4.8,8.3 7,10.5 11.2,5.8" />
    </>
  ),
  failed: (
    <>
      <rect class="full" x="1.5" y="1.5" width="13" height="13" rx="1.5" />
      <polyline class="cut" points="5,5 11,11" />
      <polyline class="cut" points="11,5 5,11" />
    </>
  ),
  parked: (
    <>
      <polygon class="full" points="8,1.5 15,14 1,14" />
      <polyline class="cut" points="8,6.5 8,9.5" />
      <polyline class="cut" points="8,12 8,12" />
    </>
  ),
  in_progress: (
    <>
      <circle cx="8" cy="8" r="6.5" />
      <polygon class="full" points="8,2 12,4 14,8 12,12 8,14" />
    </>
  ),
  ready: <circle cx="8" cy="8" r="6.5" />,
  blocked: (
    <>
      <circle cx="8" cy="8" r="6.5" />
      <polyline points="5,8 11,8" />
    </>
  ),
  pending: <circle class="dashes" cx="8" cy="8" r="6.5" />,
  dropped: (
    <>
      <polyline points="4,4 12,12" />
      <polyline points="12,4 4,12" />
    </>
  ),
  look: (
    <>
      <polygon class="full" points="8,1 15,8 8,15 1,8" />
      <circle class="hole" cx="8" cy="8" r="2.2" />
    </>
  ),
  waiting: <polygon class="full" points="3.5,2 12.5,2 8,8 12.5,14 3.5,14 8,8" />,
};

/** The mark of a state, in its colour. Beside its word it says nothing more; alone, in a picture, it has a place and a size. */
export const Mark = ({
  state,
  ...at
}: {
  state: MarkState;
  x?: number;
  y?: number;
  width?: number;
  height?: number;
}) => (
  <svg class={`mark state-${state}`} viewBox="0 0 16 16" aria-hidden="true" {...at}>
    {SHAPES[state] ?? SHAPES.pending}
  </svg>
);

/** A state in a word, with its mark. */
export const StateWord = ({ state }: { state: TaskState }) => (
  <span class={`state state-${state}`}>
    <Mark state={state} />
    {state.replaceAll("_", " ")}
  </span>
);

/** The mark of what has a tone. */
export const TONE_STATES: Readonly<Record<Tone, MarkState>> = {
  good: "done",
  bad: "failed",
  warn: "parked",
  idle: "ready",
};

export const ToneMark = ({ tone }: { tone: Tone }) => <Mark state={TONE_STATES[tone]} />;
