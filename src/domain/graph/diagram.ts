import { labelOf, type TaskGraph } from "./graph.ts";

// Both are complete, and lazily made: a graph of a hundred thousand tasks goes out line by line.

/** For mermaid.live, GitHub and others. Arrows lead from what is needed; dotted lines from a parent to its parts. */
export function* mermaidLines(graph: TaskGraph): Iterable<string> {
  const { tasks } = graph;
  const names = new Map(tasks.map(({ id }, index) => [id, `n${index + 1}`]));
  yield "flowchart TD";
  for (const task of tasks) yield `  ${names.get(task.id)}["${mermaidText(labelOf(task, graph))}"]`;
  for (const { id, parent, needs } of tasks) {
    for (const need of needs) if (names.has(need)) yield `  ${names.get(need)} --> ${names.get(id)}`;
    if (parent !== undefined && names.has(parent)) yield `  ${names.get(parent)} -.- ${names.get(id)}`;
  }
}

/** For Graphviz. */
export function* dotLines(graph: TaskGraph): Iterable<string> {
  const { tasks } = graph;
  const known = new Set(tasks.map(({ id }) => id));
  yield "digraph tasks {";
  yield "  node [shape=box];";
  for (const task of tasks) yield `  ${dotText(task.id)} [label=${dotText(labelOf(task, graph))}];`;
  for (const { id, parent, needs } of tasks) {
    for (const need of needs) if (known.has(need)) yield `  ${dotText(need)} -> ${dotText(id)};`;
    if (parent !== undefined && known.has(parent)) {
      yield `  ${dotText(parent)} -> ${dotText(id)} [style=dotted, arrowhead=none];`;
    }
  }
  yield "}";
}

/** Whatever could end a label, or be read as Markdown, HTML or an entity in it, is written as a number. */
const mermaidText = (text: string): string =>
  text.replaceAll(/[^\p{L}\p{M}\p{N}\p{So} .,:()_+\-/]/gu, (character) => `#${character.codePointAt(0)};`);

const dotText = (text: string): string => `"${text.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`;
