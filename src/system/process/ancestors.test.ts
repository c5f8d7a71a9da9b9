import { expect, test } from "vitest";
import { ancestors, readAncestors } from "./ancestors.ts";

test("the first of them is who started this process, and has variables", () => {
  const all = [...ancestors()];
  expect(all.length).toBeGreaterThan(0);
  expect(all[0]?.env["PATH"]).toBe(process.env["PATH"]);
});

test("what ps prints is read, and a value ends at its first blank", () => {
  const lines =
    "  777   501   500 /usr/bin/node agent.js A=1 RALPHCTL_ATTEMPT=r.1.2 B=two words\n\n  1 0 1 /sbin/init\n";
  expect([...readAncestors(lines)]).toEqual([
    [777, { parent: 501, group: 500, session: 0, env: { A: "1", RALPHCTL_ATTEMPT: "r.1.2", B: "two" } }],
    [1, { parent: 0, group: 1, session: 0, env: {} }],
  ]);
  expect(readAncestors("").size).toBe(0);
});
