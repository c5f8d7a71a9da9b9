import type { ComponentChildren } from "preact";
import { printable, printableLine } from "../../domain/printable.ts";
import type { TaskState } from "../../domain/task-state.ts";
import { Mark, StateWord } from "./mark.tsx";

interface CardProps {
  readonly id: string;
  readonly title: string;
  /** Undefined where it does not matter. */
  readonly state?: TaskState | undefined;
  /** What is said of it. */
  readonly text?: string | undefined;
  /** Where its title leads. */
  readonly href?: string | undefined;
  /** In a line above the text: scope, times, cost. */
  readonly about?: readonly string[];
  readonly children?: ComponentChildren;
}

/** A task in a few lines. */
export const TaskCard = ({ id, title, state, text, href, about = [], children }: CardProps) => (
  <article class="task-card">
    <p class="title" dir="auto">
      {href === undefined ? printableLine(title) : <a href={href}>{printableLine(title)}</a>}
    </p>
    <p class="about">
      {[printableLine(id), ...about.map(printableLine)].join(" · ")}
      {state !== undefined && (
        <>
          {" · "}
          <StateWord state={state} />
        </>
      )}
    </p>
    {text !== undefined && <p dir="auto">{printable(text)}</p>}
    {children}
  </article>
);

/** A task in one line, in a list of those that another needs. */
export const TaskLink = ({ id, title, state, href }: { id: string; title: string; state: TaskState; href: string }) => (
  <a class={`task-link state-${state}`} href={href} title={`${printableLine(id)} · ${state}`}>
    <Mark state={state} />
    <bdi>{printableLine(title)}</bdi>
  </a>
);
