import { expect, test } from "vitest";
import { DONE, notices, script, seen, type Step, verdicts, WORK } from "../hostile-run.ts";
import { loopWorkspace } from "../loop-workspace.ts";

const RULES = { bash: { "*": "allow", "git push *": "deny" } };
const SETTINGS = JSON.stringify({ permission: RULES });
const STAMP = { $schema: "https://opencode.ai/config.json", $version: 4 };
const write = (text: string): Step => ({ write: { path: "opencode.json", text } });
const lines = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

const placeWith = async (...steps: Step[]) =>
  await loopWorkspace({
    files: { "opencode.json": SETTINGS },
    config: "gates: [{ id: test, run: test -f done.txt }]\nlimits: { attempts: 1 }\n",
    script: script([...steps, DONE]),
  });

const PARKED = { code: 2, outcomes: ["parked"], states: { "Do it": "parked" }, commits: [] };
const VERIFIED = { code: 0, outcomes: ["verified"], states: { "Do it": "done" }, commits: ["Do it"] };
const QUESTION = "May it change what runs on your machine? It changed opencode.json";

test("T-10 a CLI's stamp on its settings is nobody's work: it is told once, is not asked about, and does not land", async () => {
  const place = await placeWith(write(lines({ ...STAMP, permission: RULES })), WORK);
  const run = await place.run();
  expect(await seen(place, run)).toEqual(VERIFIED);
  expect(place.git("show", "--name-only", "--format=", "HEAD")).toBe("done.txt");
  expect(notices(run).filter((text) => text.includes("opencode.json"))).toEqual([
    "Only $schema or $version of opencode.json changed, which agents' programs write by themselves: it stays as it was. To let a task change it, give the task --may-change opencode.json",
  ]);
});

test("T-10 P-18 a claim with no other change than a CLI's stamp is a claim without work", async () => {
  const place = await loopWorkspace({
    files: { "opencode.json": SETTINGS },
    config: "gates: [{ id: test, run: 'true' }]\n",
    script: script([write(lines({ ...STAMP, permission: RULES })), DONE]),
  });
  const run = await place.run("--max-iterations", "1");
  expect([run.outcomes, place.commits()]).toEqual([["rejected"], []]);
});

test("T-10 a stamp lands with a task that may change the file", async () => {
  const place = await placeWith(write(lines({ ...STAMP, permission: RULES })), WORK);
  await place.task("edit", place.ids[0]!, "--may-change", "opencode.json");
  expect(await seen(place, await place.run())).toEqual(VERIFIED);
  expect(JSON.parse(place.git("show", "HEAD:opencode.json"))).toEqual({ ...STAMP, permission: RULES });
});

test("T-10 settings that are only formatted land without a question", async () => {
  const place = await placeWith(write(lines({ permission: RULES })), WORK);
  expect(await seen(place, await place.run())).toEqual(VERIFIED);
  expect(place.git("show", "HEAD:opencode.json")).toBe(lines({ permission: RULES }).trim());
});

test.each<[string, string]>([
  ["a server beside a stamp", lines({ ...STAMP, permission: RULES, mcp: { x: { type: "local", command: ["x"] } } })],
  ["a rule taken out beside a stamp", lines({ ...STAMP, permission: { bash: { "*": "allow" } } })],
  [
    "the order of rules beside a stamp",
    lines({ ...STAMP, permission: { bash: { "git push *": "deny", "*": "allow" } } }),
  ],
  ["a rule within a comment", SETTINGS.replace('"git push', '/*"git push').replace('"deny"', '"deny"*/')],
  ["the settings as another kind of text", `# ${SETTINGS}`],
])("T-10 %s still waits for a person's word", async (_, text) => {
  const place = await placeWith(write(text), WORK);
  const run = await place.run();
  expect(await seen(place, run)).toEqual(PARKED);
  expect(verdicts(run)[0]![1]).toContain(QUESTION);
});
