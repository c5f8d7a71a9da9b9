import { expect, test } from "vitest";
import { gatesText } from "./gates-text.ts";

test("a gate that failed and passed on the same files is called flaky", () => {
  const gate = { kind: "workspace", source: "auto", isAgents: false, isApproved: false } as const;
  const nothing = { decides: [], byName: [], notFollowed: [] };
  const gates = [
    { ...gate, ...nothing, id: "lint", run: "npm run lint", flaky: 0 },
    { ...gate, ...nothing, id: "test", run: "npm test", flaky: 3 },
  ];
  const [lint, tested] = gatesText({ gates, testFiles: [], warnings: [] }).split("\n\n");
  expect(lint).not.toContain("Flaky");
  expect(tested).toMatch(/^ {2}Flaky +failed and passed on the same files, 3 times$/m);
});
