import { join, resolve } from "node:path";
import { createPatchStat, type FileStat } from "../../domain/patch-stat.ts";
import { createPatchWindow, type PatchLimits } from "../../domain/patch-window.ts";
import type { GateRecord, IterationRecord } from "../../domain/run/iteration-record.ts";
import { reopenCommand } from "../../harness/harness.ts";
import { pathExists } from "../../system/folder.ts";
import { createLineSplitter } from "../../system/line-splitter.ts";
import { filePieces } from "../../system/lines.ts";
import { knownHarnesses } from "../known-harnesses.ts";
import type { Workspace } from "../workspace.ts";

/** A session of an agent (S000-R2). */
export interface InspectedSession {
  readonly record: IterationRecord;
  /** Its folder. */
  readonly folder: string;
  /** The command that reopens it in the agent's own interface, if there is one. */
  readonly reopen: readonly string[] | undefined;
}

/** A session with its files. */
export interface InspectedIteration extends InspectedSession {
  /** The prompt; undefined if deleted. */
  readonly promptFile: string | undefined;
  /** The transcript; undefined if deleted. */
  readonly transcriptFile: string | undefined;
  /** The judged change; undefined if there was none or it was deleted. */
  readonly patch: Patch | undefined;
}

export interface Patch {
  readonly file: string;
  readonly files: readonly FileStat[];
}

/** `root`: the workspace in the working tree of its run. */
export const sessionOf = (record: IterationRecord, root: string, workspace: Workspace): InspectedSession => ({
  record,
  folder: join(root, record.started.folder),
  reopen: reopening(record, workspace),
});

function reopening({ started, sessionId }: IterationRecord, workspace: Workspace): readonly string[] | undefined {
  const known = knownHarnesses(workspace.config);
  const { harness: name } = started;
  if (sessionId === undefined || !Object.hasOwn(known, name)) return undefined;
  return reopenCommand(known[name]!, workspace.harness(name), sessionId);
}

/** Adds the files of its folder. */
export async function inspectIteration(
  record: IterationRecord,
  root: string,
  workspace: Workspace,
): Promise<InspectedIteration> {
  const session = sessionOf(record, root, workspace);
  const existing = (name: string): string | undefined => {
    const file = join(session.folder, name);
    return pathExists(file) ? file : undefined;
  };
  const patch = existing("change.patch");
  return {
    ...session,
    record: { ...record, gates: record.gates.map((gate) => withWholePath(gate, root)) },
    promptFile: existing("prompt.md"),
    transcriptFile: existing("transcript.ndjson"),
    patch: patch === undefined ? undefined : await statOf(patch),
  };
}

/** Events name a gate's output file relative to the workspace; this makes it absolute, or empty when the file is gone. */
function withWholePath(gate: GateRecord, root: string): GateRecord {
  const { result } = gate;
  if (result === undefined || result.file === "") return gate;
  const file = resolve(root, result.file);
  return { ...gate, result: { ...result, file: pathExists(file) ? file : "" } };
}

const LONGEST_LINE = 1024 * 1024;

/** Undefined if empty or unreadable: git writes it in the background, and people may delete it. */
async function statOf(file: string): Promise<Patch | undefined> {
  const stat = createPatchStat();
  if (!readLines(file, stat.line)) return undefined;
  const files = stat.files();
  return files.length === 0 ? undefined : { file, files };
}

/** The beginning of a patch, and how many lines of files it has; undefined if it is unreadable. */
export function patchBeginning(
  { file }: Patch,
  limits: PatchLimits,
): { readonly text: string; readonly lines: number } | undefined {
  const window = createPatchWindow(limits);
  return readLines(file, window.line) ? { text: window.text(), lines: window.lines() } : undefined;
}

/** Of a line that is too long, the beginning. */
function readLines(file: string, onLine: (text: string) => void): boolean {
  const splitter = createLineSplitter({
    limitBytes: LONGEST_LINE,
    onLine,
    onLongLine: ({ head }) => onLine(head),
  });
  try {
    for (const bytes of filePieces(file)) splitter.push(Buffer.from(bytes));
  } catch {
    return false;
  }
  splitter.end();
  return true;
}

/** Streams a patch. */
export async function* patchText({ file }: Patch): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for (const bytes of filePieces(file)) {
    const text = rest + decoder.decode(bytes, { stream: true });
    const end = text.lastIndexOf("\n") + 1;
    rest = text.slice(end);
    yield text.slice(0, end);
  }
  yield rest + decoder.decode();
}
