import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { claude } from "../src/harness/claude.ts";
import type { Print } from "./all.ts";
import { writeClaudeOutput } from "./claude-output.ts";
import { byTurns, row } from "./measure.ts";
import { runSession, transcriptOf } from "./session.ts";
import { session } from "./harness-session.ts";

const ROUNDS = 7;
const BYTES = 50 * 1024 * 1024;

/** How fast an agent is read, from its pipe to its events and its transcript, against parsing the same lines alone. */
export async function benchStream(print: Print): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "ralphctl-bench-stream-"));
  try {
    const path = join(folder, "output");
    writeClaudeOutput(path, BYTES);
    const bytes = readFileSync(path);
    const lines = bytes.toString().trimEnd().split("\n");
    const sides = {
      "JSON.parse alone": () => lines.forEach((line) => JSON.parse(line) as unknown),
      "pipe, framing, parse, transcript": async () => await readAgent(path, folder),
      "the same by readline": async () => await readByReadline(path, folder),
    };
    const costs = await byTurns(ROUNDS, sides);
    const size = bytes.length / 1e6;
    print(row(`${lines.length} lines, ${size.toFixed(0)} MB`, "time", "processor", "speed", "of JSON.parse"));
    const bare = costs["JSON.parse alone"];
    for (const [name, { ms, cpuMs }] of Object.entries(costs)) {
      const speed = `${((size / ms) * 1000).toFixed(0)} MB/s`;
      const ratios = `${(bare.ms / ms).toFixed(2)} (${(bare.cpuMs / cpuMs).toFixed(2)} cpu)`;
      print(row(name, `${ms.toFixed(0)} ms`, `${cpuMs.toFixed(0)} ms`, speed, ratios));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function readAgent(path: string, folder: string): Promise<void> {
  const reader = claude.reader(session);
  const { outcome } = await runSession({ file: "cat", args: [path], reader, folder, name: "session" });
  rmSync(transcriptOf(folder, "session"));
  if (outcome.kind !== "done") throw new Error(`the session ended as ${JSON.stringify(outcome)}`);
}

/** As one would write it: lines by readline, each parsed, the bytes piped to a file. */
async function readByReadline(path: string, folder: string): Promise<void> {
  const child = spawn("cat", [path], { stdio: ["ignore", "pipe", "inherit"] });
  const transcript = createWriteStream(join(folder, "readline.ndjson"));
  child.stdout.pipe(transcript);
  const lines = createInterface({ input: child.stdout, crlfDelay: Infinity });
  lines.on("line", (line) => JSON.parse(line) as unknown);
  await Promise.all([once(lines, "close"), once(transcript, "close")]);
  rmSync(join(folder, "readline.ndjson"));
}
