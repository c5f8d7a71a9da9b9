import { describe, expect, test } from "vitest";
import { configKeys } from "../config/keys.ts";
import { factChanges, settingFacts } from "./trust-facts.ts";

describe("facts", () => {
  test("B-01 programs, commands and variables are facts; the agent's program and addresses are strong", () => {
    const tree = {
      harness: "claude",
      harnesses: {
        claude: { bin: "./agent", model: "opus", env: { ANTHROPIC_BASE_URL: "http://x", NOTE: "n" }, args: ["--a"] },
        "my.agent": { run: "agent --yes", kind: "acp" },
      },
      gates: [{ id: "test", run: "npm test", timeout: "5m" }],
      hooks: [
        { id: "tell", run: "say done", on: "run-end" },
        { use: "webhook", url: "https://chat.invalid/x" },
        { id: "off", run: "rm -rf x", enabled: false },
      ],
      lanes: { setup: "make deps", count: 3, env: { NODE_OPTIONS: "-r ./x.js" } },
      verify: { setup: "make", in: "tree", protect: ["x"] },
      limits: { cost: 5 },
    };
    expect(settingFacts(tree).map(({ key, value, isStrong }) => `${isStrong ? "! " : ""}${key}: ${value}`)).toEqual([
      "! harnesses.claude.bin: ./agent",
      "! harnesses.claude.env.ANTHROPIC_BASE_URL: http://x",
      "harnesses.claude.env.NOTE: n",
      'harnesses.claude.args: ["--a"]',
      "! harnesses.my.agent.run: agent --yes",
      "harnesses.my.agent.kind: acp",
      "gates.test.run: npm test",
      "hooks.tell.run: say done",
      "hooks.webhook.use: webhook",
      "hooks.webhook.url: https://chat.invalid/x",
      "lanes.setup: make deps",
      "lanes.env.NODE_OPTIONS: -r ./x.js",
      "verify.setup: make",
      "verify.in: tree",
    ]);
  });

  test("B-01 what starts and sets nothing needs no trust: discovered gates, models, limits, defaults", () => {
    const tree = { harness: ["claude", "codex"], harnesses: { claude: { model: "m" } }, gates: "auto", limits: {} };
    expect(settingFacts(tree)).toEqual([]);
    expect(settingFacts({ gates: [], hooks: [], lanes: { setup: null, env: {} } })).toEqual([]);
  });

  test("B-01 a key that nobody has thought about needs trust, and so do these", () => {
    expect(settingFacts({ brandNew: { key: "x" } })).toEqual([{ key: "brandNew.key", value: "x", isStrong: false }]);
    // Another branch brings other files for agents along than those that are shown.
    expect(settingFacts({ git: { branch: "other", commit: false } }).map(({ key }) => key)).toEqual(["git.branch"]);
    const asked = configKeys().filter(({ path }) => {
      const sample = path.reduceRight<unknown>((inner, step) => {
        const list = /^(.*)\[\]$/.exec(step)?.[1];
        return list === undefined ? { [step]: inner } : { [list]: [inner] };
      }, "x");
      return settingFacts(sample as Readonly<Record<string, unknown>>).length > 0;
    });
    expect(asked.map(({ path }) => path.join("."))).toEqual(
      expect.arrayContaining([
        ...["bin", "args", "env", "userSettings", "kind", "run", "permissions", "script", "recording"].map(
          (name) => `harnesses.<name>.${name}`,
        ),
        "gates[].run",
        "verify.in",
        "verify.setup",
        ...["inPlace", "folder", "setup", "env"].map((name) => `lanes.${name}`),
        ...["run", "prompt", "workflow", "use", "url"].map((name) => `hooks[].${name}`),
        "redact.allow",
        "processes.keep",
      ]),
    );
  });
});

test("B-01 a change shows what is new and what is gone, beside each other", () => {
  const fact = (key: string, value: string) => ({ key, value, isStrong: false });
  const before = [fact("a", "1"), fact("b", "1"), fact("c", "1")];
  const now = [fact("a", "1"), fact("b", "2"), fact("d", "1")];
  expect(factChanges(before, now).map(({ key, value, change }) => `${change} ${key} ${value}`)).toEqual([
    "same a 1",
    "removed b 1",
    "added b 2",
    "added d 1",
    "removed c 1",
  ]);
});
