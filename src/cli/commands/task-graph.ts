import { graphTasks } from "../../app/task/graph-tasks.ts";
import { dotLines, mermaidLines } from "../../domain/graph/diagram.ts";
import { edgesOf, graphTaskJson } from "../../format/graph-json.ts";
import type { GraphTask } from "../../domain/graph/graph.ts";
import { graphLines } from "../../domain/graph/lines.ts";
import { RalphError } from "../../domain/error.ts";
import type { Input } from "../command.ts";
import { caller, scopeChoice } from "../flags.ts";
import type { Io } from "../io.ts";

/** Enough for a person to read at a terminal. */
const LIMIT = 500;

const FORMATS = ["mermaid", "dot", "json"] as const;

/** Prints the graph: drawn in lines, or in full for another program. */
export async function run(input: Input, io: Io): Promise<void> {
  const [format, other] = FORMATS.filter((name) => input.options[name] === true);
  if (other !== undefined) {
    throw new RalphError("usage", `--${format} and --${other} cannot be used together`, {
      hint: `Leave out --${other}`,
    });
  }
  const graph = await graphTasks(scopeChoice(input), caller(input, io));
  if (format === "mermaid") return await print(mermaidLines(graph), io);
  if (format === "dot") return await print(dotLines(graph), io);
  if (format === "json") return await print(jsonLines(graph.tasks), io);
  const { lines, more } = graphLines(graph, io.hasTerminal ? LIMIT : Infinity);
  await print(lines, io);
  if (graph.tasks.length === 0) io.err("No tasks here. Add one: ralphctl task add TITLE\n");
  if (more > 0) io.err(`${more} more lines. Print the whole graph: ralphctl task graph --dot\n`);
}

const BATCH = 1000;

async function print(lines: Iterable<string>, io: Io): Promise<void> {
  let batch: string[] = [];
  for (const line of lines) {
    if (batch.push(`${line}\n`) < BATCH) continue;
    io.out(batch.join(""));
    await io.drained();
    batch = [];
  }
  io.out(batch.join(""));
}

/** `{"tasks": […], "edges": […]}`, one line each. An edge leads from the blocker to the task that needs it. */
function* jsonLines(tasks: readonly GraphTask[]): Iterable<string> {
  yield '{"tasks":[';
  for (const [index, task] of tasks.entries()) {
    yield `${JSON.stringify(graphTaskJson(task))}${index + 1 < tasks.length ? "," : ""}`;
  }
  yield '],"edges":[';
  let before = "";
  for (const edge of tasks.flatMap(edgesOf)) {
    yield `${before}${JSON.stringify(edge)}`;
    before = ",";
  }
  yield "]}";
}
