import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder, write } from "./temporary-folder.ts";

/** What a session of the fake says and does, in order. `{task}` is filled in. */
export type ClaudeStep =
  | { readonly text: string }
  | { readonly thinking: string }
  /** A tool call with its result; `does` is run by a shell. */
  | { readonly tool: string; readonly does?: string; readonly output?: string }
  /** The words of an agent that it started. */
  | { readonly subagent: string }
  /** Parts of a message, as `--include-partial-messages` shows them before it is whole. */
  | { readonly deltas: readonly string[] }
  /** Another line, as it is. */
  | { readonly line: object }
  /** Does nothing for so long. */
  | { readonly waitsMs: number }
  | { readonly exit: number };

export interface FakeClaude {
  /** To be found first. */
  readonly path: string;
  /** What it was started with in an iteration. */
  readonly started: (iteration: number) => { readonly args: readonly string[]; readonly stdin: string };
}

/** A program `claude` that speaks in lines of the real one: only what they say is ours. The last session repeats. */
export function fakeClaude(...sessions: readonly (readonly ClaudeStep[])[]): FakeClaude {
  const folder = temporaryFolder();
  const lines = recorded("basic");
  const shapes = {
    init: lines.find(({ subtype }) => subtype === "init"),
    thinking: lines.find((line) => blockOf(line) === "thinking"),
    text: lines.find((line) => blockOf(line) === "text"),
    tool: lines.find((line) => blockOf(line) === "tool_use"),
    toolResult: lines.find((line) => blockOf(line) === "tool_result"),
    result: lines.find(({ type }) => type === "result"),
    delta: recorded("x-partial").find(({ event }) => event?.delta?.type === "text_delta"),
  };
  write(folder, { "sessions.json": JSON.stringify(sessions), "shapes.json": JSON.stringify(shapes), claude: PROGRAM });
  chmodSync(join(folder, "claude"), 0o755);
  return {
    path: `${folder}:${process.env["PATH"]}`,
    started: (iteration) =>
      JSON.parse(readFileSync(join(folder, `started-${iteration}.json`), "utf8")) as ReturnType<FakeClaude["started"]>,
  };
}

interface RecordedLine {
  readonly type: string;
  readonly subtype?: string;
  readonly message?: { readonly content: readonly { readonly type: string }[] };
  readonly event?: { readonly delta?: { readonly type: string } };
}

const recorded = (name: string): RecordedLine[] =>
  readFileSync(`src/harness/recorded/claude/${name}.ndjson`, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as RecordedLine);

const blockOf = ({ message }: RecordedLine): string | undefined => message?.content[0]?.type;

const PROGRAM = `#!${process.execPath}
const { execSync } = require("node:child_process");
const { readFileSync, writeFileSync } = require("node:fs");
const read = (name) => JSON.parse(readFileSync(__dirname + "/" + name, "utf8"));
const sessions = read("sessions.json");
const shapes = read("shapes.json");
const { RALPHCTL_ITERATION: iteration, RALPHCTL_TASK: task } = process.env;
const args = process.argv.slice(2);
if (args[0] === "--version") {
  console.log("2.1.325 (Claude Code)");
  process.exit();
}
writeFileSync(
  __dirname + "/started-" + iteration + ".json",
  JSON.stringify({ args, stdin: readFileSync(0, "utf8") }),
);
const session_id = args[args.indexOf("--session-id") + 1];
const fill = (text) => text.replaceAll("{task}", task);
const print = (line) => console.log(JSON.stringify({ ...line, session_id }));
const message = (shape, change, more = {}) =>
  print({ ...shape, ...more, message: { ...shape.message, content: [{ ...shape.message.content[0], ...change }] } });
let last = "";
print(shapes.init);
for (const step of sessions[Math.min(iteration, sessions.length) - 1]) {
  if ("text" in step) message(shapes.text, { text: (last = fill(step.text)) });
  if ("thinking" in step) message(shapes.thinking, { thinking: fill(step.thinking) });
  if ("subagent" in step) message(shapes.text, { text: fill(step.subagent) }, { parent_tool_use_id: "toolu_parent" });
  if ("deltas" in step) {
    for (const text of step.deltas)
      print({ ...shapes.delta, event: { ...shapes.delta.event, delta: { type: "text_delta", text: fill(text) } } });
  }
  if ("line" in step) print(step.line);
  if ("waitsMs" in step) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, step.waitsMs);
  if ("tool" in step) {
    message(shapes.tool, { name: step.tool, input: { command: step.does ?? "" } });
    if (step.does) execSync(step.does, { stdio: "ignore" });
    message(shapes.toolResult, { content: fill(step.output ?? "") });
  }
  if ("exit" in step) process.exit(step.exit);
}
print({ ...shapes.result, result: last });
`;
