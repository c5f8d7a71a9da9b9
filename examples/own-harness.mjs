// Drives an agent of your own, any program: node examples/own-harness.mjs [FOLDER] [PROGRAM]
import { createPlainReader, run } from "ralphctl";

const [cwd = ".", program = "my-agent"] = process.argv.slice(2);

/** @type {import("ralphctl").Harness} */
const mine = {
  // What to start for one session. Spawning, time limits and stopping are the same for every agent.
  start: ({ prompt, systemPrompt, model }) => ({
    file: program,
    args: model === undefined ? [] : ["--model", model],
    env: { MY_AGENT_MODE: "unattended" },
    stdin: `${systemPrompt}\n\n${prompt}`,
    files: [],
  }),
  // It prints words. An agent that prints events of its own needs a reader of its own: `line`, `hasResult`, `end`.
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
