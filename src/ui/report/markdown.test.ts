import { expect, test } from "vitest";
import { login, mail, runFinished, runStarted } from "../../../test/run-events.ts";
import { createTimeline } from "../../domain/run/timeline.ts";
import { reportMarkdown } from "./markdown.ts";

test("what a person has to answer or to look at has a part of its own", () => {
  const builder = createTimeline();
  const finished = {
    ...runFinished,
    ending: "blocked" as const,
    waiting: [{ ...login, question: "Red or *green*?" }],
    failed: [{ ...mail, reason: "No server" }],
    blocked: [{ id: "t-3", title: "Greet", by: [mail.id] }],
  };
  [runStarted, finished].forEach((event, at) => builder.add({ atMs: at, run: runStarted.run, event }));
  const text = reportMarkdown({
    name: "shop",
    timeline: builder.timeline()!,
    isRunning: false,
    iterations: [],
    graph: { tasks: [], hasScopes: false },
    flaky: [{ id: "e2e", definition: "", times: 2 }],
    madeAtMs: 0,
    folder: "/srv/shop/.ralph/runs/x",
  });
  expect(text).toContain("\n- Took: 0s\n");
  expect(text).toContain("\n- Flaky gates: e2e (2 times)\n");
  expect(text.split("\n## ").slice(1)).toEqual([
    `Needs you

- ${login.id} Add login asks: Red or \\*green\\*?
- ${mail.id} Send mail failed: No server
- t-3 Greet is blocked by ${mail.id}
`,
  ]);
});
