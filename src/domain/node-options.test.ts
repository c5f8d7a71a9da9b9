import { expect, test } from "vitest";
import { withoutInspector } from "./node-options.ts";

test.each([
  ["--inspect", ""],
  ["--inspect-brk=127.0.0.1:0 --max-old-space-size=4096", "--max-old-space-size=4096"],
  ["--enable-source-maps --inspect=0", "--enable-source-maps"],
  ['--require "./a b.js" "--inspect-port=9230" --trace-warnings', '--require "./a b.js" --trace-warnings'],
  ["--no-inspect-x --title=--inspect", "--no-inspect-x --title=--inspect"],
])("B-06 programs do not get a parent's wish to debug: %s", (given, left) => {
  expect(withoutInspector({ NODE_OPTIONS: given, A: "1" })).toEqual({ NODE_OPTIONS: left, A: "1" });
});

test("B-06 an environment without it stays the same", () => {
  const env = { PATH: "/bin", NODE_OPTIONS: "--trace-warnings" };
  expect(withoutInspector(env)).toBe(env);
});
