import { describe, expect, test } from "vitest";
import { dotLines, mermaidLines } from "./diagram.ts";
import type { GraphTask, TaskGraph } from "./graph.ts";
import { graphLines } from "./lines.ts";

const task = (id: string, needs: readonly string[] = [], more: Partial<GraphTask> = {}): GraphTask => ({
  id,
  title: id.toUpperCase(),
  state: needs.length > 0 ? "blocked" : "ready",
  scope: "workspace",
  parent: undefined,
  needs,
  ...more,
});

const graph = (...tasks: readonly GraphTask[]): TaskGraph => ({ tasks, hasScopes: false });

const chain = (length: number): TaskGraph => ({
  tasks: Array.from({ length }, (_, index) => task(`t${index}`, index === 0 ? [] : [`t${index - 1}`])),
  hasScopes: false,
});

describe("for people", () => {
  test("a need that is not part of the picture does not hide a task", () => {
    expect(graphLines(graph(task("b", ["elsewhere"])), 10)).toEqual({ lines: ["b  blocked  B"], more: 0 });
  });

  test("a deep branch goes on at the margin", () => {
    const { lines } = graphLines(chain(15), 100);
    expect(lines.slice(11)).toEqual([
      `${"   ".repeat(10)}└─ t11  blocked  T11`,
      `${"   ".repeat(11)}└─ t12  blocked  T12  (continues below)`,
      "t12  blocked  T12  (continued)",
      "└─ t13  blocked  T13",
      "   └─ t14  blocked  T14",
    ]);
  });

  test("200,000 tasks in a row, or round one, are counted without a deep stack", () => {
    expect(graphLines(chain(200_000), 500)).toMatchObject({ lines: { length: 500 }, more: expect.any(Number) });
    const fan = [task("a"), ...Array.from({ length: 100_000 }, (_, index) => task(`t${index}`, ["a"]))];
    expect(graphLines({ tasks: fan, hasScopes: false }, 500)).toMatchObject({ lines: { length: 500 }, more: 99_501 });
  });

  test("every task is printed with its title exactly once, whatever the graph", () => {
    // Each needs two or three before it: many ways lead to the same task.
    const tasks = Array.from({ length: 60 }, (_, index) =>
      task(
        `t${index}`,
        [index - 1, index - 2, index - 7].filter((need) => need >= 0).map((need) => `t${need}`),
      ),
    );
    const { lines, more } = graphLines(graph(...tasks), 10_000);
    expect(more).toBe(0);
    const titled = lines.filter((line) => /T\d/.test(line) && !line.includes("(continued)"));
    expect(titled.map((line) => /T(\d+)/.exec(line)![1]).sort()).toEqual(tasks.map((_, index) => String(index)).sort());
  });
});

describe("for programs", () => {
  const awkward = graph(
    task("a", [], { title: 'say "hi" \\ <b>&amp;</b> `x` #quot; [end]' }),
    task("b", ["a"], { parent: "p" }),
    task("p"),
  );

  test("Mermaid: nothing in a title can end its label, and parents are dotted", () => {
    expect([...mermaidLines(awkward)]).toEqual([
      "flowchart TD",
      '  n1["a  ready  say #34;hi#34; #92; #60;b#62;#38;amp#59;#60;/b#62; #96;x#96; #35;quot#59; #91;end#93;"]',
      '  n2["b  blocked  B"]',
      '  n3["p  ready  P"]',
      "  n1 --> n2",
      "  n3 -.- n2",
    ]);
  });

  test("Graphviz: quotes and backslashes are escaped", () => {
    expect([...dotLines(awkward)]).toEqual([
      "digraph tasks {",
      "  node [shape=box];",
      '  "a" [label="a  ready  say \\"hi\\" \\\\ <b>&amp;</b> `x` #quot; [end]"];',
      '  "b" [label="b  blocked  B"];',
      '  "p" [label="p  ready  P"];',
      '  "a" -> "b";',
      '  "p" -> "b" [style=dotted, arrowhead=none];',
      "}",
    ]);
  });

  test("with several scopes each task is shown with its own", () => {
    const mixed = { ...graph(task("a"), task("b", [], { scope: "project/x" })), hasScopes: true };
    expect(graphLines(mixed, 10).lines).toEqual(["a  ready  workspace  A", "b  ready  project/x  B"]);
  });
});
