import type { GraphTask } from "../../domain/graph/graph.ts";
import { printableLine } from "../../domain/printable.ts";
import type { TaskId } from "../../domain/task.ts";
import { StateWord } from "../parts/mark.tsx";

interface ListProps {
  readonly tasks: readonly GraphTask[];
  readonly hrefOf: (task: TaskId) => string;
}

/** The graph in words: each task with what it needs and who needs it. */
export function GraphList({ tasks, hrefOf }: ListProps) {
  const titles = new Map(tasks.map(({ id, title }) => [id, title]));
  const dependents = new Map<TaskId, TaskId[]>();
  for (const { id, needs } of tasks)
    for (const need of needs) dependents.set(need, [...(dependents.get(need) ?? []), id]);
  const named = (word: string, ids: readonly TaskId[]) =>
    ids.length > 0 && (
      <span class="faint">
        {" "}
        {word}{" "}
        {ids.map((id, at) => (
          <>
            {at > 0 && ", "}
            <a href={hrefOf(id)}>
              <bdi>{printableLine(titles.get(id) ?? id)}</bdi>
            </a>
          </>
        ))}
      </span>
    );
  return (
    <ol class="graph-list">
      {tasks.map(({ id, title, state, needs }) => (
        <li key={id}>
          <StateWord state={state} />{" "}
          <a class="title" href={hrefOf(id)} data-row>
            <bdi>{printableLine(title)}</bdi>
          </a>{" "}
          <span class="id">{printableLine(id)}</span>
          {named("needs", needs)}
          {named("is needed by", dependents.get(id) ?? [])}
        </li>
      ))}
    </ol>
  );
}
