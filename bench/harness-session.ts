import type { Session } from "../src/harness/harness.ts";

/** A session about nothing, for readers that must be told of one. */
export const session: Session = {
  prompt: "",
  systemPrompt: "",
  cwd: "/",
  folder: "/",
  settings: {
    bin: null,
    args: [],
    env: {},
    userSettings: "all",
    run: null,
    permissions: "allow",
    promptBy: "stdin",
    output: "text",
    script: null,
    recording: null,
  },
  isRoot: false,
  self: ["ralphctl"],
};
