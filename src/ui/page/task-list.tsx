import { useLoaded } from "./loaded.ts";
import { TaskLink } from "./task-link.tsx";
import { Shown } from "./trouble.tsx";

interface GraphData {
  readonly tasks: readonly { readonly id: string; readonly title: string; readonly state: string }[];
}

/** All tasks, as a plain list. */
export function TaskList() {
  const graph = useLoaded<GraphData>("/graph");
  return (
    <>
      <h1>Tasks</h1>
      <Shown of={graph} what="the tasks">
        {({ tasks }) => (
          <ul class="list">
            {tasks.map(({ id, title, state }) => (
              <li key={id}>
                <TaskLink id={id} title={title} /> <span class="faint">{state}</span>
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </>
  );
}
