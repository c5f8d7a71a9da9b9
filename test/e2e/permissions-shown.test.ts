import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as harnesses from "../../src/harness/index.ts";
import { type } from "../recording-io.ts";
import { temporaryFolder, temporaryRepository } from "../temporary-folder.ts";

const MAY = "claude may do whatever your account may, without asking (--dangerously-skip-permissions)";

/** A claude that answers nothing: a run says its permissions before it starts. */
function withClaude() {
  const bin = temporaryFolder({ claude: "#!/bin/sh\nexit 1\n" });
  chmodSync(join(bin, "claude"), 0o755);
  const cwd = temporaryRepository({ Makefile: "check:\n\ttrue\n" });
  const env = { PATH: `${bin}:${process.env["PATH"]!}`, HOME: cwd, XDG_STATE_HOME: temporaryFolder() };
  return async (...args: readonly string[]) => await type(args, { cwd, env });
}

test("B-08 init, run --dry-run and the first lines of a run say what the agent may do", async () => {
  const say = withClaude();
  expect((await say("init", "--yes")).stdout).toContain(`\nPermissions: ${MAY}\n`);
  await say("task", "add", "Do it");
  expect((await say("run", "--dry-run")).stdout).toContain(`\npermissions: ${MAY}\n`);
  expect(JSON.parse((await say("run", "--dry-run", "--json")).stdout)).toMatchObject({ start: { permissions: [MAY] } });
  const { stdout } = await say("run", "--error-threshold", "1");
  expect(stdout.slice(0, stdout.indexOf("Iteration 1"))).toContain(MAY);
});

test("B-08 each agent that works alone says it, and the guide says the same", () => {
  const guide = readFileSync("docs/guides/security.md", "utf8");
  for (const [name, { facts }] of Object.entries(harnesses)) {
    if (name === "scripted" || name === "replay") continue; // they do what their file says
    const text = facts.permissions?.({ permissions: "allow" });
    expect([name, text]).toEqual([name, expect.stringMatching(/^(may|is) /)]);
    const flag = /\((--.*)\)$/.exec(text!)?.[1];
    if (flag !== undefined) expect(guide).toContain(`\`${flag}\``);
    expect(guide).toContain(facts.program === undefined ? `\`${name}\`` : facts.title);
  }
});

test("B-08 an ACP agent whose requests are rejected says so", () => {
  expect(harnesses.acp.facts.permissions?.({ permissions: "reject" })).toContain("is refused whatever it asks for");
});
