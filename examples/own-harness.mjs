// Runs your own agent, any program: node examples/own-harness.mjs [FOLDER] [PROGRAM]
import { createPlainReader, run } from "ralphctl";

const [cwd = ".", program = "my-agent"] = process.argv.slice(2);

/** @type {import("ralphctl").Harness} */
const mine = {
  // The command for one session. ralphctl handles spawning, time limits and stopping.
  start: ({ prompt, systemPrompt, model }) => ({
    file: program,
    args: model === undefined ? [] : ["--model", model],
    env: { MY_AGENT_MODE: "unattended" },
    stdin: `${systemPrompt}\n\n${prompt}`,
    files: [],
  }),
  // For an agent that prints plain text. For structured output, write a reader with `line`, `hasResult` and `end`.
  reader: createPlainReader,
  facts: {
    title: "My own agent",
    stopOrder: [{ signal: "SIGTERM", waitMs: 3000 }],
    usage: "none",
    cost: "none",
    takesSystemPrompt: false,
    takesSessionId: false,
    quirks: [],
  },
};

const { ending, verified } = await run({ cwd, harnesses: { mine }, harness: "mine" }).finished;
console.log(`${ending}: ${verified} verified`);
