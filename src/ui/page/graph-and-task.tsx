import { useMemo } from "preact/hooks";
import type { GraphTask } from "../../domain/graph/graph.ts";
import { printableLine } from "../../domain/printable.ts";
import type { ApiReads } from "../api.ts";
import { actAndSay } from "./act.ts";
import { getText } from "./client.ts";
import { GraphPlace } from "./graph-place.tsx";
import { onEvent } from "./live.ts";
import { useLoaded } from "./loaded.ts";
import { goTo, hrefOf } from "./route.ts";
import type { TaskApi, TaskData } from "./task-api.ts";
import { TaskPlace } from "./task-place.tsx";
import { Shown } from "./trouble.tsx";

type GraphData = ApiReads["/graph"];

const hrefOfTask = (task: string): string => hrefOf("task", task);

/** The place Graph, with what the server says. */
export function LoadedGraph() {
  const graph = useLoaded<GraphData>("/graph");
  return (
    <>
      <h1>Graph</h1>
      <Shown of={graph} what="the tasks">
        {(value) => <Drawn graph={value} />}
      </Shown>
    </>
  );
}

function Drawn({ graph }: { readonly graph: GraphData }) {
  const tasks = useMemo(() => tasksOf(graph), [graph]);
  return (
    <GraphPlace
      tasks={tasks}
      critical={graph.critical}
      hrefOf={hrefOfTask}
      onOpen={(task) => {
        goTo("task", task);
      }}
    />
  );
}

/** JSON has null where a task has no parent. */
const tasksOf = ({ tasks }: GraphData): GraphTask[] =>
  tasks.map(({ parent, ...task }) => ({ ...task, parent: parent ?? undefined }));

/** The place of one task, with what the server says. */
export function LoadedTask({ id }: { readonly id: string }) {
  const task = useLoaded<TaskData>(`/tasks/${encodeURIComponent(id)}`);
  const graph = useLoaded<GraphData>("/graph").value;
  const others = useMemo(() => new Map(graph && tasksOf(graph).map((each) => [each.id, each])), [graph]);
  return (
    <>
      {task.value === undefined && <h1>{printableLine(id)}</h1>}
      <Shown of={task} what="the task">
        {(value) => <TaskPlace task={value} others={others} api={API} />}
      </Shown>
    </>
  );
}

const API: TaskApi = {
  text: getText,
  act: actAndSay,
  subscribe: (run, iteration, heard) =>
    onEvent(({ run: from, event }) => {
      if (from === run && "iteration" in event && event.iteration === iteration) heard();
    }),
  hrefOf: hrefOfTask,
};
