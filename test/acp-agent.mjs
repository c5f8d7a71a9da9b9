// An agent that speaks ACP, for tests: `node acp-agent.mjs PLAY`. It knows no library, so that it can be wrong in any way.
import { appendFileSync, closeSync, writeFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , play = "honest", ...words] = process.argv;
const print = (text) => writeSync(1, text);
const send = (message) => print(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const waiting = new Map();
let asked = 0;

/** A request to the client; resolves to all of its answer. */
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = asked++;
    waiting.set(id, resolve);
    send({ id, method, params });
  });

const sessionId = "s-1";
const update = (one) => send({ method: "session/update", params: { sessionId, update: one } });
const say = (text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const claim = () => say(`All finished.\n\n<task-done>${process.env.RALPHCTL_TASK ?? "t-1"}</task-done>`);

const OPTIONS = [
  { optionId: "p-always", name: "Always", kind: "allow_always" },
  { optionId: "p-once", name: "Just now", kind: "allow_once" },
  { optionId: "p-no", name: "No", kind: "reject_once" },
];

/** A tool that writes a file, if it may. */
async function tool(options = OPTIONS) {
  const call = { toolCallId: "c-1", title: "Write done.txt", kind: "edit", rawInput: { path: "done.txt" } };
  update({ sessionUpdate: "tool_call", ...call, status: "pending", rawInput: {} });
  const { result } = await ask("session/request_permission", { sessionId, toolCall: call, options });
  const isAllowed = result.outcome.optionId === "p-once";
  if (isAllowed) writeFileSync("done.txt", "yes");
  update({
    sessionUpdate: "tool_call_update",
    toolCallId: "c-1",
    status: isAllowed ? "completed" : "failed",
    content: [{ type: "content", content: { type: "text", text: isAllowed ? "written" : "refused" } }],
  });
  return result;
}

const DONE = { stopReason: "end_turn", usage: { inputTokens: 100, outputTokens: 20, totalTokens: 120 } };

const MODELS = {
  config: {
    configOptions: [
      {
        id: "m",
        name: "Model",
        category: "model",
        type: "select",
        currentValue: "small",
        options: [
          {
            group: "g",
            name: "Group",
            options: [
              { value: "small", name: "Small" },
              { value: "large", name: "Large" },
            ],
          },
        ],
      },
    ],
  },
  list: {
    models: {
      currentModelId: "small",
      availableModels: [
        { modelId: "small", name: "Small" },
        { modelId: "large", name: "Large" },
      ],
    },
  },
};

/** What it does when it is prompted; what it returns is the answer: a result, or an error if it has a code. */
const PLAYS = {
  honest: async () => {
    update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "Hm." } });
    await tool();
    claim();
    update({ sessionUpdate: "usage_update", used: 1, size: 9, cost: { amount: 0.25, currency: "USD" } });
    return DONE;
  },
  "only-always": async () => {
    const { outcome } = await tool(OPTIONS.slice(0, 1));
    say(outcome.outcome);
    return DONE;
  },
  asks: async () => {
    const answers = [
      await ask("fs/read_text_file", { sessionId, path: "/etc/passwd" }),
      await ask("terminal/create", {}),
    ];
    update({ sessionUpdate: "from_the_future", what: 1 });
    send({ method: "session/from_the_future", params: {} });
    say(answers.map(({ error }) => error.code).join());
    return DONE;
  },
  noise: async () => {
    print("\u001b[1mWelcome!\u001b[0m\n{not json\n[]\nnull\n");
    claim();
    return DONE;
  },
  "long-line": async () => {
    print(`${"x".repeat(70 * 1024 * 1024)}\n`);
    claim();
    return DONE;
  },
  prompt: async ({ prompt }) => {
    writeFileSync("prompt.txt", prompt.map(({ text }) => text).join(""));
    claim();
    return DONE;
  },
  reason: async () => ({ stopReason: words[0] }),
  error: async () => JSON.parse(words[0]),
  dies: async () => {
    say("I begin");
    process.stderr.write("out of order\n");
    process.exit(Number(words[0] ?? 3));
  },
  "closes-output": async () => {
    closeSync(1);
    setInterval(() => undefined, 1000);
    return await new Promise(() => undefined);
  },
  hang: async () => {
    writeFileSync(words[0] ?? "started.txt", String(process.pid));
    return await new Promise(() => undefined);
  },
  // Tells nothing of what it takes.
  spends: async () => {
    for (;;) {
      update({ sessionUpdate: "tool_call", toolCallId: "c", title: "Look", kind: "read", status: "in_progress" });
      update({
        sessionUpdate: "tool_call_update",
        toolCallId: "c",
        status: "completed",
        rawOutput: { output: "x".repeat(4000) },
      });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  },
  "stays-after": async () => {
    setInterval(() => undefined, 1000);
    claim();
    return DONE;
  },
};
PLAYS.stubborn = PLAYS.hang;

const HANDLERS = {
  initialize: () =>
    play === "never"
      ? undefined
      : {
          protocolVersion: play === "version" ? 2 : 1,
          agentInfo: { name: "test-agent", version: "1.2.3" },
          authMethods: [{ id: "l", name: "Log in with a browser" }],
        },
  "session/new": (params) => {
    writeFileSync("new-session.json", JSON.stringify(params));
    if (play === "login") return { code: -32000, message: "Authentication required" };
    return play === "silent-session" ? undefined : { sessionId, ...MODELS[words[0]] };
  },
  "session/set_config_option": ({ configId, value }) => (appendFileSync("chosen.txt", `${configId}=${value}\n`), {}),
  "session/set_model": ({ modelId }) => (appendFileSync("chosen.txt", `${modelId}\n`), null),
  "session/prompt": async (params) => await (PLAYS[play] ?? PLAYS.honest)(params),
};

if (play === "stubborn") {
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => undefined);
  setInterval(() => undefined, 1000);
}

let prompted;
createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params, ...answer } = JSON.parse(line);
  if (method === undefined) {
    waiting.get(id)?.(answer);
    return;
  }
  if (method === "session/cancel") {
    writeFileSync("cancelled.txt", params.sessionId);
    if (play !== "stubborn") send({ id: prompted, result: { stopReason: "cancelled", usage: DONE.usage } });
    return;
  }
  if (method === "session/prompt") prompted = id;
  const result = await HANDLERS[method]?.(params);
  if (result === undefined) return;
  send(result !== null && "code" in result ? { id, error: result } : { id, result });
});
