import { expect, test } from "vitest";
import { ancestors, readAncestor } from "./ancestors.ts";

test("the first of them is who started this process, and has variables", () => {
  const all = [...ancestors()];
  expect(all.length).toBeGreaterThan(0);
  expect(all[0]?.env["PATH"]).toBe(process.env["PATH"]);
});

test("what ps prints is read, and a value ends at its first blank", () => {
  expect(readAncestor("  501 /usr/bin/node agent.js A=1 RALPHCTL_ATTEMPT=r.1.2 B=two words\n")).toEqual({
    parent: 501,
    env: { A: "1", RALPHCTL_ATTEMPT: "r.1.2", B: "two" },
  });
  expect(readAncestor("")).toBe(undefined);
});
