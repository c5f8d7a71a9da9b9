import { join } from "node:path";
import type { AgentEvent, AgentReader } from "../src/domain/agent-event.ts";
import { type AgentResult, type AgentSession, runAgent } from "../src/system/process/agent-process.ts";

export interface BenchSession {
  readonly file: string;
  readonly args: readonly string[];
  readonly reader: AgentReader;
  /** Where its files lie. */
  readonly folder: string;
  /** Unlike any other's. */
  readonly name: string;
  readonly onEvent?: (event: AgentEvent) => void;
  readonly box?: AgentSession["box"];
}

/** One session of an agent, as the loop runs it. */
export async function runSession({
  file,
  args,
  reader,
  folder,
  name,
  onEvent,
  box,
}: BenchSession): Promise<AgentResult> {
  return await runAgent({
    command: { file, args, env: {}, files: [] },
    box,
    reader,
    stopOrder: [],
    cwd: folder,
    env: { PATH: process.env["PATH"] },
    marker: { name: "RALPHCTL_MARKER", value: `bench-${process.pid}-${name}` },
    limits: { inactivityMs: 60_000, wallMs: 600_000, graceMs: 60_000, patienceMs: 100_000 },
    transcript: transcriptOf(folder, name),
    stderr: join(folder, `${name}.log`),
    onEvent: onEvent ?? (() => undefined),
    signal: new AbortController().signal,
  });
}

export const transcriptOf = (folder: string, name: string): string => join(folder, `${name}.ndjson`);
