import { readdirSync, readFileSync } from "node:fs";
import { expect } from "vitest";
import type { AgentEvent, AgentExit, AgentOutcome, StopReason } from "../domain/agent-event.ts";
import { exit, session, settings } from "./harness.contract.ts";
import type { Harness, Session } from "./harness.ts";

const folder = new URL("recorded/", import.meta.url);

/** What an agent says at the end of most recordings. */
export const CLAIM = "All finished. <task-done>t-1</task-done>";

/** Every harness whose output is recorded, with the names of its recordings. */
export const recordedHarnesses: readonly string[] = readdirSync(folder).sort();

export const recordingsOf = (harness: string): string[] =>
  readdirSync(new URL(`${harness}/`, folder))
    .filter((name) => name.endsWith(".ndjson"))
    .map((name) => name.replace(".ndjson", ""))
    .sort();

/** The bytes that an agent printed. */
export const recordedBytes = (harness: string, name: string): Buffer =>
  readFileSync(new URL(`${harness}/${name}.ndjson`, folder));

export const recordedLines = (harness: string, name: string): string[] =>
  recordedBytes(harness, name)
    .toString()
    .split("\n")
    .filter((line) => line !== "");

function textOf(path: string): string | undefined {
  try {
    return readFileSync(new URL(path, folder), "utf8");
  } catch {
    return undefined; // most have none
  }
}

/** How it ended: exit code or signal, and the files that it left. */
export function recordedExit(harness: string, name: string): AgentExit & OwnText {
  const { exitCode, signal } = JSON.parse(textOf(`${harness}/${name}.exit.json`)!) as {
    exitCode: number | null;
    signal: string | null;
  };
  const usage = textOf(`${harness}/${name}.usage`);
  const ownFile = textOf(`${harness}/${name}.own`);
  return {
    ...exit,
    code: exitCode,
    signal,
    files: usage === undefined ? {} : { [`${session.folder}/${harness}-usage.json`]: usage },
    ...(ownFile === undefined ? {} : { ownFile }),
  };
}

/** What the CLI wrote to its own file. */
interface OwnText {
  readonly ownFile?: string;
}

/** All events of a session that printed these lines. */
export function read(
  harness: Harness,
  lines: readonly (string | object)[],
  own: Partial<AgentExit & Session & OwnText> = {},
) {
  const reader = harness.reader({ ...session, settings: { ...settings, ...own.settings }, model: own.model });
  const events = lines.flatMap((line) => reader.line(typeof line === "string" ? line : JSON.stringify(line)));
  if (reader.wants?.() !== undefined) own.ownFile?.split("\n").forEach((line) => reader.own?.(line));
  return [...events, ...reader.end({ ...exit, ...own })];
}

/** All events of a recorded session. */
export function replayed(harness: Harness, id: string, stoppedBy?: StopReason): AgentEvent[] {
  const [of = "", name = ""] = id.split("/");
  const how = recordedExit(of, name);
  return read(harness, recordedLines(of, name), stoppedBy === undefined ? how : { ...how, stoppedBy });
}

export function outcome(events: readonly AgentEvent[]): AgentOutcome | undefined {
  const last = events.at(-1);
  return last?.type === "agent.ended" ? last.outcome : undefined;
}

/** A table of recordings with the outcome that each must have. */
export function expectOutcomes(harness: Harness, of: string, table: Readonly<Record<string, AgentOutcome>>): void {
  const outcomes = recordingsOf(of).map((name) => [name, outcome(replayed(harness, `${of}/${name}`))]);
  expect(Object.fromEntries(outcomes)).toEqual(table);
}
