import { describe, expect, test } from "vitest";
import { harnessContract } from "./harness.contract.ts";
import type { HarnessSettings } from "./harness.ts";
import * as harnesses from "./index.ts";

/** What each needs to be told before it can start. */
const READY: Readonly<Record<keyof typeof harnesses, Partial<HarnessSettings>>> = {
  claude: {},
  codex: {},
  opencode: {},
  gemini: {},
  pi: {},
  copilot: {},
  qwen: {},
  acp: { run: "my-agent --acp" },
  command: { bin: "my-agent" },
  replay: { recording: "/workspace/.ralph/runs/1/1" },
  scripted: { script: "demo.yaml" },
};

describe.each(Object.entries(harnesses))("%s", (name, harness) => {
  harnessContract(harness, READY[name as keyof typeof harnesses]);
});

test("every harness has what a user types", () => {
  expect(Object.keys(harnesses).sort()).toEqual(Object.keys(READY).sort());
});
