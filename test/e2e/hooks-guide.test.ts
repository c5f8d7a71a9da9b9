import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/config.ts";
import { HOOK_POINTS } from "../../src/domain/hook.ts";
import { HOOK_VARIABLES } from "../../src/domain/run/hook-event.ts";
import { DONE, script, WORK } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";
import { homeOf, temporaryFolder } from "../temporary-folder.ts";

const guide = readFileSync("docs/guides/hooks.md", "utf8");
const blocks = (language: string): string[] =>
  Array.from(guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms")), ([, text = ""]) => text);

test("S003-03 the guide's tables name every point and every variable", () => {
  const points = Array.from(guide.matchAll(/^\| `([a-z]+-[a-z]+|limit)` \| /gm), ([, name]) => name);
  expect(points).toEqual([...HOOK_POINTS]);
  const variables = Array.from(guide.matchAll(/^\| `(RALPHCTL_\w+)` \| (.*) \|$/gm), ([, name, doc]) => [name, doc]);
  expect(variables).toEqual(Object.entries(HOOK_VARIABLES));
});

test("S003-03 the guide's configurations are valid", async () => {
  const read = await Promise.all(
    blocks("yaml").map(async (text) => {
      const cwd = temporaryFolder({ ".ralph/config.yaml": text });
      return (await loadConfig({ cwd, env: {} })).config.hooks.map(({ id, use }) => id ?? use);
    }),
  );
  expect(read).toEqual([["push", "notify"], ["tell"], ["notify", "webhook", "learning"], ["chat"]]);
});

test("S003-03 the guide's script tells what happened in three lines", async () => {
  const home = temporaryFolder();
  const place = await loopWorkspace({
    script: script([WORK, DONE]),
    files: { "tell.sh": blocks("sh")[0]! },
    config: `gates: [{ id: test, run: test -f done.txt }]\n${blocks("yaml")[1]}`,
    env: { ...homeOf(home) },
  });
  const { code } = await place.ralphctl("run");
  expect(code).toBe(0);
  expect(readFileSync(join(home, "ralph.txt"), "utf8")).toBe(
    `task-done: ${place.ids[0]} "Do it" is done and proven\nrun-end: Complete and verified: All tasks are done\n`,
  );
});
