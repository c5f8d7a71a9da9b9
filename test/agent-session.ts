import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import type { AgentEvent, AgentReader } from "../src/domain/agent-event.ts";
import { agentEnding } from "../src/domain/agent-ending.ts";
import { type AgentResult, type AgentSession, runAgent } from "../src/system/process/agent-process.ts";
import { type Marker, marked } from "../src/system/process/sweep.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A session in a folder of its own, and what came of it. */
export interface TestSession {
  readonly folder: string;
  readonly marker: Marker;
  readonly events: readonly AgentEvent[];
  readonly result: Promise<AgentResult>;
  readonly abort: () => void;
  readonly kill: () => void;
  /** The lines so far, as the reader got them. */
  readonly lines: () => string[];
  readonly transcript: () => Buffer;
}

/** A reader that repeats each line, and takes the line RESULT for the agent's result. */
export function plainReader(): AgentReader {
  let hasResult = false;
  return {
    line: (text) => {
      hasResult ||= text === "RESULT";
      return [{ type: "agent.text", text }];
    },
    hasResult: () => hasResult,
    end: (exit) => [{ type: "agent.ended", outcome: agentEnding(hasResult ? { kind: "done" } : undefined, exit) }],
  };
}

/** Starts a shell script as an agent. */
export function startSession(script: string, own: Partial<AgentSession> = {}): TestSession {
  const folder = temporaryFolder();
  const marker: Marker = { name: "RALPHCTL_MARKER", value: randomUUID() };
  const events: AgentEvent[] = [];
  const abort = new AbortController();
  const kill = new AbortController();
  const result = runAgent({
    command: { file: "/bin/sh", args: ["-c", script], env: {}, stdin: "", files: [] },
    reader: plainReader(),
    stopOrder: [
      { signal: "SIGINT", waitMs: 150 },
      { signal: "SIGTERM", waitMs: 150 },
    ],
    cwd: folder,
    env: { PATH: process.env["PATH"], NODE: process.execPath },
    marker,
    limits: { inactivityMs: 100_000, wallMs: 100_000, graceMs: 100_000, patienceMs: 100_000 },
    transcript: join(folder, "transcript.ndjson"),
    stderr: join(folder, "stderr.txt"),
    onEvent: (event) => events.push(event),
    signal: abort.signal,
    kill: kill.signal,
    ...own,
  });
  return {
    folder,
    marker,
    events,
    result,
    abort: () => abort.abort(),
    kill: () => kill.abort(),
    lines: () => events.flatMap((event) => (event.type === "agent.text" ? [event.text] : [])),
    transcript: () => readFileSync(join(folder, "transcript.ndjson")),
  };
}

/** Waits until the agent has printed a line. */
export async function printed(session: TestSession, line: string): Promise<void> {
  await vi.waitUntil(() => session.lines().includes(line), { timeout: 50_000, interval: 5 });
}

/** Processes of a session that are alive. */
export const alive = (session: TestSession): number[] => marked(session.marker);

/** Whether a process runs; one that nobody has fetched the exit code of does not. */
export function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}
